-- Neovim with editors/vim, asked as a person would: run by `tests/editor/run FABC`.
local function fail(what)
  io.stderr:write("not so: " .. what .. "\n")
  vim.cmd("cquit 1")
end

local function wait(what, condition)
  if not vim.wait(20000, condition, 20) then
    fail(what)
  end
end

local function ask(method, params)
  local answers = vim.lsp.buf_request_sync(0, method, params, 20000) or {}
  for _, answer in pairs(answers) do
    return answer.result
  end
  fail(method .. " is answered")
end

vim.cmd("edit specs/small_slices.fab")
if vim.bo.filetype ~= "fab" then
  fail("a .fab file is one")
end
-- Words are drawn, without any server.
local function drawn(line, column)
  return vim.fn.synIDattr(vim.fn.synID(line, column, 1), "name")
end
local first = vim.fn.search("clock = 1 GHz")
if drawn(first, vim.fn.col(".")) ~= "fabKeyword" or drawn(first, 17) ~= "fabUnit" then
  fail("`clock` is a keyword and `GHz` a unit, not " .. drawn(first, vim.fn.col(".")) .. " and " .. drawn(first, 17))
end
wait("the client is attached", function()
  return next(vim.lsp.buf_get_clients(0)) ~= nil and vim.lsp.buf_get_clients(0)[next(vim.lsp.buf_get_clients(0))].initialized
end)

vim.fn.search("cubes = 16")
local hover = ask("textDocument/hover", vim.lsp.util.make_position_params())
if not hover.contents.value:find("128 chips") then
  fail("`cubes` tells of 128 chips: " .. hover.contents.value)
end

-- An error comes and goes with what is typed.
local line = vim.fn.search("allowed_turns")
local right = vim.fn.getline(line)
vim.fn.setline(line, (right:gsub("allowed_turns", "alowed_turns")))
wait("a slip is told", function()
  local all = vim.diagnostic.get(0)
  return #all == 1 and all[1].lnum == line - 1 and all[1].message:find("allowed_turns") ~= nil
end)
vim.fn.setline(line, right)
wait("it is gone", function()
  return #vim.diagnostic.get(0) == 0
end)

-- A name is changed everywhere.
vim.fn.search("link fiber")
vim.cmd("normal! w")
local params = vim.lsp.util.make_position_params()
params.newName = "glass"
vim.lsp.util.apply_workspace_edit(ask("textDocument/rename", params), "utf-16")
local text = table.concat(vim.fn.getline(1, "$"), "\n")
if text:find("fiber") or not text:find("over glass") then
  fail("`fiber` is `glass` now:\n" .. text)
end

-- The layout is that of `fabc fmt`.
vim.fn.setline(vim.fn.search("spare = 2"), "spare=2;")
local edits = ask("textDocument/formatting", vim.lsp.util.make_formatting_params({ tabSize = 4, insertSpaces = true }))
vim.lsp.util.apply_text_edits(edits, 0, "utf-16")
if vim.fn.search("^    spare = 2;$", "w") == 0 then
  fail("the line is laid out")
end
print("neovim has what it asked for\n")
vim.cmd("qall!")
