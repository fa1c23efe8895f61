// Qwen Code, headless, with command hooks in the project's settings, on Chat Completions. The newest release that runs on Node 20.
import { join } from 'node:path';

const specific = (hookEventName, more) => ({ stdout: { hookSpecificOutput: { hookEventName, ...more } } });
const NO_OUTPUT = 'a result can be neither replaced nor hidden';

export const qwenCode = {
  name: 'qwen-code',
  packages: { '@qwen-code/qwen-code': '0.15.10' },
  events: { pre: 'PreToolUse', post: 'PostToolUse', prompt: 'UserPromptSubmit', stop: 'Stop' },
  adapter: 'qwen-code',
  // What becomes of a call whose hook ends so, with a text on stderr.
  exitCodes: { 1: 'runs', 2: 'refuses', 127: 'runs' },
  // What it does with a call if the registered line and the guard go together: `policy-line-*`.
  withoutLine: { killed: 'runs', stopped: 'runs' },
  program: 'qwen',
  // Without a screen it does not say why a prompt was refused.
  refusal: ['"input_tokens":0,"output_tokens":0'],
  mcpTool: 'mcp__notes__keep',
  rewriteIsBlock: true,
  without: {
    'policy-start-context': 'its hook for the start of a session is not called in a run without a person',
    'policy-redact': NO_OUTPUT,
    'policy-redact-failed': NO_OUTPUT,
    'policy-hide-failed': NO_OUTPUT,
    'policy-hide-result': NO_OUTPUT,
    'policy-result-killed': NO_OUTPUT,
    'policy-result-missing-launcher': NO_OUTPUT,
  },
  writeFile: (path, content) => ({ name: 'write_file', args: { file_path: `{{cwd}}/${path}`, content } }),
  subAgent: (prompt) => [
    { name: 'agent', args: { description: 'a test', prompt, subagent_type: 'general-purpose' } },
  ],
  shell: (command) => ({
    name: 'run_shell_command',
    args: { command, description: 'a test', is_background: false },
  }),
  replies: {
    deny: (reason) => ({
      PreToolUse: specific('PreToolUse', { permissionDecision: 'deny', permissionDecisionReason: reason }),
    }),
    context: (text) => ({ PostToolUse: specific('PostToolUse', { additionalContext: text }) }),
    blockPrompt: (reason) => ({ UserPromptSubmit: { exit: 2, stderr: reason } }),
    goOn: (reason) => ({ Stop: { once: true, stdout: { decision: 'block', reason } } }),
  },
  setUp({ cwd, home, write, hookLine, mcp, events = Object.values(qwenCode.events) }) {
    const hooks = events.map((event) => [
      event,
      // Milliseconds, as in Gemini CLI.
      [
        {
          matcher: '*',
          hooks: [{ type: 'command', name: event, command: hookLine(event), timeout: 10_000 }],
        },
      ],
    ]);
    write(join(cwd, '.qwen/settings.json'), {
      // It would add it by itself, and keep a copy of what was there before.
      $version: 4,
      ...(hooks.length > 0 && { hooks: Object.fromEntries(hooks) }),
    });
    write(join(home, '.qwen/settings.json'), {
      security: { auth: { selectedType: 'openai' }, folderTrust: { enabled: false } },
      privacy: { usageStatisticsEnabled: false },
      general: { enableAutoUpdate: false, disableAutoUpdate: true, disableUpdateNag: true },
      ...(mcp !== undefined && { mcpServers: { notes: mcp } }),
    });
  },
  command: ({ modules, prompt, url, node }) => ({
    argv: [
      node,
      join(modules, '@qwen-code/qwen-code/cli.js'),
      ...['-p', prompt, '--yolo', '--output-format', 'json'],
    ],
    env: {
      OPENAI_API_KEY: 'dummy',
      OPENAI_BASE_URL: `${url}/v1`,
      OPENAI_MODEL: 'scripted',
      QWEN_CODE_NO_RELAUNCH: '1',
    },
  }),
};
