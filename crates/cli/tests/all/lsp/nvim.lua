-- Neovim as an editor of models: open one, wait for diagnostics, jump to a definition, run the lens.
-- Ends with code 0 and "everything was seen", or with code 1 and what was not.

local function fail(what)
  io.stderr:write("not seen: " .. what .. "\n")
  vim.cmd("cquit 1")
end

-- Waits until a condition holds.
local function see(what, condition)
  if not vim.wait(1000 * (tonumber(vim.env.EVENHAND_PATIENCE) or 60), condition, 20) then fail(what) end
end

local function work()
  vim.cmd("edit " .. vim.env.MODELS .. "/promela/semaphore.pml")
  vim.bo.filetype = "promela"
  local buffer = vim.api.nvim_get_current_buf()
  local id = vim.lsp.start_client({
    name = "evenhand",
    cmd = { vim.env.EVENHAND, "lsp" },
    root_dir = vim.env.MODELS,
  })
  vim.lsp.buf_attach_client(buffer, id)
  see("the server", function()
    local client = vim.lsp.get_client_by_id(id)
    return client and client.initialized
  end)

  -- A slip is typed: its diagnostic comes, and goes when it is mended.
  local line = vim.fn.search("inside++", "w")
  local text = vim.fn.getline(line)
  vim.api.nvim_buf_set_lines(buffer, line - 1, line, true, { (text:gsub("inside", "insida")) })
  see("a diagnostic", function() return #vim.diagnostic.get(buffer) == 1 end)
  local said = vim.diagnostic.get(buffer)[1]
  if said.lnum ~= line - 1 or not said.message:find("did you mean `inside`", 1, true) then
    fail("the place of the slip: " .. vim.inspect(said))
  end
  vim.api.nvim_buf_set_lines(buffer, line - 1, line, true, { text })
  see("no diagnostic", function() return #vim.diagnostic.get(buffer) == 0 end)

  -- From a use to the declaration.
  vim.fn.search("inside == 1", "w")
  local used = vim.fn.line(".")
  vim.lsp.buf.definition()
  see("the declaration", function() return vim.fn.line(".") ~= used end)
  if vim.fn.getline(".") ~= "byte inside;" then fail("byte inside;, but " .. vim.fn.getline(".")) end

  -- The lens above a property.
  vim.fn.search("^ltl entry", "w")
  local row = vim.fn.line(".") - 1
  local function title()
    for _, lens in ipairs(vim.lsp.codelens.get(buffer)) do
      if lens.range.start.line == row then return lens.command.title end
    end
  end
  vim.lsp.codelens.refresh()
  see("a lens", function() return title() == "▶ check entry" end)
  vim.lsp.codelens.run()
  see("the verdict", function()
    vim.lsp.codelens.refresh()
    local shown = title()
    return shown and shown:find("✓ holds", 1, true)
  end)
  io.stderr:write("everything was seen\n")
  vim.lsp.stop_client(id)
  vim.wait(5000, function() return vim.lsp.client_is_stopped(id) end, 20)
  vim.cmd("qall!")
end

local done, problem = pcall(work)
if not done then fail(problem) end
