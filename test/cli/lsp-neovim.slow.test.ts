/**
 * `harness lsp` in a real editor: Debian's Neovim opens a hook, shows what is wrong with it, completes and formats. Installs Neovim where
 * it may, and says loudly that nothing was shown where it cannot.
 */
import { spawnSync } from 'node:child_process';
import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { CLI_FILE } from '../../scripts/build-cli.mjs';
import { project } from './harness.ts';

function hasNeovim(): boolean {
  if (spawnSync('nvim', ['--version']).status === 0) return true;
  const installed = spawnSync('apt-get', ['install', '-y', 'neovim'], { timeout: 300_000 });
  return installed.status === 0 && spawnSync('nvim', ['--version']).status === 0;
}

const there = hasNeovim();
if (!there)
  console.warn('NOT SHOWN: there is no nvim and it cannot be installed; the editor test is skipped');

const HOOK = `---
event: tool.pre
priority: 50
script: |
  def handle(event,payload):
      if payload["agrs"]:
          return block("no")
      return allow()
---
`;

/** What a person would do, as a script, in the calls that 0.7 of Debian has and later ones still have; the answers go to a file. */
const SCRIPT = `
local out = { diagnostics = {}, completions = {} }
vim.cmd("edit .harness/hooks/guard.md")
local buffer = vim.api.nvim_get_current_buf()
local id = vim.lsp.start_client({ name = "harness", cmd = { NODE, CLI, "lsp" }, root_dir = vim.fn.getcwd() })
vim.lsp.buf_attach_client(buffer, id)
vim.wait(60000, function() return #vim.diagnostic.get(buffer) > 0 end, 100)
for _, each in ipairs(vim.diagnostic.get(buffer)) do
  table.insert(out.diagnostics, { line = each.lnum, code = each.code, message = each.message })
end
local params = { textDocument = { uri = vim.uri_from_bufnr(buffer) }, position = { line = 5, character = 18 } }
local found = vim.lsp.buf_request_sync(buffer, "textDocument/completion", params, 60000)
for _, each in ipairs(found[id].result or {}) do table.insert(out.completions, each.label) end
local format = { textDocument = params.textDocument, options = { tabSize = 4, insertSpaces = true } }
local edits = vim.lsp.buf_request_sync(buffer, "textDocument/formatting", format, 60000)
vim.lsp.util.apply_text_edits(edits[id].result, buffer, "utf-16")
out.lines = vim.api.nvim_buf_get_lines(buffer, 0, -1, false)
vim.fn.writefile({ vim.json.encode(out) }, "answers.json")
`;

describe.skipIf(!there)('harness lsp in Neovim', () => {
  it('shows diagnostics, completes and formats', () => {
    const cwd = project({ '.harness/hooks/guard.md': HOOK });
    const words = { NODE: process.execPath, CLI: CLI_FILE };
    const script = Object.entries(words).reduce(
      (text, [name, value]) => text.replace(name, JSON.stringify(value)),
      SCRIPT,
    );
    writeFileSync(join(cwd, 'session.lua'), script);
    const env = {
      PATH: process.env.PATH,
      HOME: cwd,
      XDG_CONFIG_HOME: join(cwd, 'config'),
      XDG_STATE_HOME: join(cwd, 'state'),
    };
    const ran = spawnSync(
      'nvim',
      ['--headless', '-u', 'NONE', '-n', '-c', 'luafile session.lua', '-c', 'qall!'],
      {
        cwd,
        env,
        timeout: 110_000,
      },
    );
    expect(ran.stderr.toString()).not.toMatch(/Error|error:/);
    const answers = JSON.parse(readFileSync(join(cwd, 'answers.json'), 'utf8'));
    expect(answers.diagnostics).toContainEqual(expect.objectContaining({ line: 5, code: 'PAYLOAD_KEY' }));
    expect(answers.completions).toEqual(expect.arrayContaining(['name', 'args']));
    expect(answers.lines).toContain('  def handle(event, payload):');
  });
});
