autocmd BufRead,BufNewFile *.fab setfiletype fab
