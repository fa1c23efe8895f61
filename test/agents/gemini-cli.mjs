// Gemini CLI, headless, with command hooks in the project's settings.
import { join } from 'node:path';

const specific = (hookEventName, more) => ({ stdout: { hookSpecificOutput: { hookEventName, ...more } } });
const denied = (reason) => ({ stdout: { decision: 'deny', reason } });

export const geminiCli = {
  name: 'gemini-cli',
  packages: { '@google/gemini-cli': '0.61.0' },
  events: { pre: 'BeforeTool', post: 'AfterTool', prompt: 'BeforeAgent', stop: 'AfterAgent' },
  adapter: 'gemini-cli',
  // What becomes of a call whose hook ends so, with a text on stderr.
  exitCodes: { 1: 'runs', 2: 'refuses', 127: 'refuses' },
  // What it does with a call if the registered line and the guard go together: `policy-line-*`.
  withoutLine: { killed: 'runs', stopped: 'waits' },
  without: { 'policy-line-stopped': 'it waits for a line that is stopped, and never runs the call' },
  program: 'gemini',
  /** `live.mjs` knows one more of its switches. */
  secondSwitch: true,
  mcpTool: 'mcp_notes_keep',
  tellsFailures: true,
  writeFile: (path, content) => ({ name: 'write_file', args: { file_path: `{{cwd}}/${path}`, content } }),
  shell: (command) => ({ name: 'run_shell_command', args: { command, description: 'a test' } }),
  subAgent: (prompt) => [{ name: 'invoke_agent', args: { agent_name: 'generalist', prompt } }],
  subAgentEnd: (response) => ({ tool_calls: [{ name: 'complete_task', args: { result: { response } } }] }),
  replies: {
    deny: (reason) => ({ BeforeTool: denied(reason) }),
    rewrite: ({ args }) => ({ BeforeTool: specific('BeforeTool', { tool_input: args }) }),
    // The reason takes the place of the output.
    redact: (text) => ({ AfterTool: denied(text) }),
    context: (text) => ({ AfterTool: specific('AfterTool', { additionalContext: text }) }),
    blockPrompt: (reason) => ({ BeforeAgent: { exit: 2, stderr: reason } }),
    goOn: (reason) => ({ AfterAgent: { ...denied(reason), once: true } }),
  },
  setUp({ cwd, home, write, hookLine, mcp, events = Object.values(geminiCli.events) }) {
    const hooks = events.map((event) => [
      event,
      // Milliseconds here, unlike elsewhere.
      [
        {
          matcher: '*',
          hooks: [{ type: 'command', name: event, command: hookLine(event), timeout: 10_000 }],
        },
      ],
    ]);
    write(join(cwd, '.gemini/settings.json'), {
      hooksConfig: { enabled: true },
      ...(hooks.length > 0 && { hooks: Object.fromEntries(hooks) }),
    });
    write(join(home, '.gemini/settings.json'), {
      security: { auth: { selectedType: 'gemini-api-key' }, folderTrust: { enabled: false } },
      privacy: { usageStatisticsEnabled: false },
      general: { enableAutoUpdate: false, disableAutoUpdate: true, disableUpdateNag: true },
      telemetry: { enabled: false },
      ...(mcp !== undefined && { mcpServers: { notes: mcp } }),
    });
    write(join(home, '.gemini/trustedFolders.json'), { [cwd]: 'TRUST_FOLDER' });
  },
  command: ({ modules, prompt, url, node }) => ({
    argv: [
      node,
      join(modules, '@google/gemini-cli/bundle/gemini.js'),
      ...['-p', prompt, '--yolo', '--output-format', 'json', '-m', 'gemini-2.5-flash'],
    ],
    env: {
      GEMINI_API_KEY: 'dummy',
      GOOGLE_GEMINI_BASE_URL: url,
      GEMINI_CLI_NO_RELAUNCH: 'true',
    },
  }),
};
