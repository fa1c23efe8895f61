// OpenCode, headless, with a plugin that bridges its in-process hooks to the command hook, on Chat Completions.
import { copyFileSync, readFileSync, symlinkSync } from 'node:fs';
import { join } from 'node:path';

const VERSION = '1.18.33';

export const opencode = {
  name: 'opencode',
  packages: { 'opencode-ai': VERSION, '@opencode-ai/plugin': VERSION },
  events: { pre: 'tool.execute.before', post: 'tool.execute.after', prompt: 'chat.message' },
  adapter: 'opencode',
  program: 'opencode',
  mcpTool: 'notes_keep',
  without: { 'policy-stop-goes-on': 'a stop cannot be sent back' },
  tellsFailures: true,
  rewritesPrompts: true,
  writeFile: (path, content) => ({ name: 'write', args: { filePath: `{{cwd}}/${path}`, content } }),
  shell: (command) => ({ name: 'bash', args: { command, description: 'a test' } }),
  subAgent: (prompt) => [{ name: 'task', args: { description: 'a test', prompt, subagent_type: 'general' } }],
  replies: {
    deny: (reason) => ({ 'tool.execute.before': { exit: 2, stderr: reason } }),
    rewrite: ({ args }) => ({ 'tool.execute.before': { stdout: { args } } }),
    redact: (text) => ({ 'tool.execute.after': { stdout: { output: text } } }),
    blockPrompt: (reason) => ({ 'chat.message': { exit: 2, stderr: reason } }),
  },
  setUp({ cwd, home, root, url, modules, here, write, guarded, mcp }) {
    if (!guarded) copyFileSync(join(here, 'opencode-bridge.mjs'), join(root, 'bridge.js'));
    const models = {
      scripted: { name: 'scripted', tool_call: true, limit: { context: 100_000, output: 4000 } },
    };
    write(join(cwd, 'opencode.json'), {
      // It would add it by itself.
      $schema: 'https://opencode.ai/config.json',
      autoupdate: false,
      share: 'disabled',
      ...(!guarded && { plugin: [`file://${join(root, 'bridge.js')}`] }),
      ...(mcp !== undefined && { mcp: { notes: { type: 'local', command: [mcp.command, ...mcp.args] } } }),
      model: 'scripted/scripted',
      small_model: 'scripted/scripted',
      permission: { bash: 'allow' },
      provider: {
        scripted: {
          npm: '@ai-sdk/openai-compatible',
          name: 'scripted',
          options: { baseURL: `${url}/v1`, apiKey: 'dummy' },
          models,
        },
      },
    });
    // Otherwise it reads the list of all models there are, which takes longer than all the rest.
    write(join(home, '.cache/opencode/models.json'), {});
    placePlugin(join(home, '.config/opencode'), modules, write);
  },
  command: ({ modules, prompt, hookArgv }) => ({
    argv: [
      join(modules, 'opencode-linux-x64/bin/opencode'),
      'run',
      prompt,
      '--format',
      'json',
      '--print-logs',
    ],
    env: {
      HOOK_ARGV: JSON.stringify(hookArgv),
      OPENCODE_DISABLE_AUTOUPDATE: '1',
      OPENCODE_DISABLE_LSP_DOWNLOAD: '1',
      OPENCODE_DISABLE_DEFAULT_PLUGINS: '1',
      OPENCODE_DISABLE_MODELS_FETCH: '1',
    },
  }),
};

/** It would install this package when it starts, and wait for a network that is not there. */
function placePlugin(config, modules, write) {
  const dependencies = { '@opencode-ai/plugin': VERSION };
  const lock = JSON.parse(readFileSync(join(modules, '.package-lock.json'), 'utf8'));
  write(join(config, 'package.json'), { dependencies });
  write(join(config, 'package-lock.json'), { ...lock, packages: { '': { dependencies }, ...lock.packages } });
  symlinkSync(modules, join(config, 'node_modules'));
}
