if exists("b:did_ftplugin")
  finish
endif
let b:did_ftplugin = 1

setlocal commentstring=//\ %s comments=s1:/*,mb:*,ex:*/,:// expandtab shiftwidth=4 softtabstop=4 cindent
let b:undo_ftplugin = "setlocal commentstring< comments< expandtab< shiftwidth< softtabstop< cindent<"

" Neovim has a client of its own; one server answers for all specs.
if has("nvim-0.5") && executable(get(g:, "fabc_path", "fabc"))
  lua << EOF
  local config = {
    name = "fabc",
    cmd = { vim.g.fabc_path or "fabc", "lsp" },
    root_dir = vim.fn.expand("%:p:h"),
  }
  if vim.lsp.start then
    vim.lsp.start(config)
  else
    _G.fabc_client = _G.fabc_client or vim.lsp.start_client(config)
    vim.lsp.buf_attach_client(0, _G.fabc_client)
  end
EOF
endif
