-- Neovim with what the book says to put into init.lua, by its keys: jump to a definition, check the property in the line.
-- Ends with code 0 and "everything was seen", or with code 1 and what was not.

local function see(what, condition)
  if not vim.wait(1000 * (tonumber(vim.env.EVENHAND_PATIENCE) or 60), condition, 20) then
    io.stderr:write("not seen: " .. what .. "\n")
    vim.cmd("cquit 1")
  end
end

local function press(keys)
  vim.api.nvim_feedkeys(keys, "mx", false)
end

local buffer = vim.api.nvim_get_current_buf()

local function lens(wanted)
  for _, lens in ipairs(vim.lsp.codelens.get(buffer)) do
    if lens.command and lens.command.title:find(wanted, 1, true) then return lens end
  end
end

local function work()
  see("the type of the file", function() return vim.bo.filetype == "promela" end)
  see("a line above the property", function() return lens("check accessible") end)
  vim.fn.search("taken.RIGHT. = false", "w")
  press("gd")
  see("the declaration", function() return vim.fn.getline("."):find("^bool taken") ~= nil end)
  vim.api.nvim_win_set_cursor(0, { lens("check accessible").range.start.line + 1, 0 })
  press("\\c")
  see("the verdict", function()
    vim.api.nvim_exec_autocmds("CursorHold", { buffer = buffer })
    vim.wait(50, function() return false end)
    return lens("violated by a run of")
  end)
  if vim.v.errmsg ~= "" then
    io.stderr:write("an error was shown: " .. vim.v.errmsg .. "\n")
    vim.cmd("cquit 1")
  end
  io.stderr:write("everything was seen\n")
  vim.cmd("qall!")
end

local worked, problem = pcall(work)
if not worked then
  io.stderr:write(tostring(problem) .. "\n")
  vim.cmd("cquit 1")
end
