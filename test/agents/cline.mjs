// Cline CLI, headless, with an executable file for each event, on Chat Completions. A refused call ends its run.
import { chmodSync } from 'node:fs';
import { join } from 'node:path';

const NO_PROMPT = 'its hook for prompts is not called in a run without a person';

export const cline = {
  name: 'cline',
  packages: { cline: '3.0.65' },
  events: { pre: 'PreToolUse', post: 'PostToolUse', start: 'TaskStart' },
  adapter: 'cline',
  // What becomes of a call whose hook ends so, with a text on stderr.
  exitCodes: { 1: 'runs', 2: 'runs', 127: 'runs' },
  // What it does with a call if the registered line and the guard go together: `policy-line-*`.
  withoutLine: { killed: 'runs', stopped: 'runs' },
  program: 'cline',
  mcpTool: 'notes__keep',
  endsRun: true,
  // Without a screen it does not say why.
  stopped: ['"finishReason":"aborted"'],
  promptGoesOn: true,
  without: {
    'policy-context': NO_PROMPT,
    'policy-prompt-block': NO_PROMPT,
    'policy-stop-goes-on': 'a stop cannot be sent back',
    observe: 'it has no prompt event to be seen',
  },
  subAgent: (task) => [{ name: 'spawn_agent', args: { systemPrompt: 'You are a test.', task } }],
  shell: (command) => ({ name: 'run_commands', args: { commands: [command] } }),
  writeFile: (path, content) => ({ name: 'editor', args: { path: `{{cwd}}/${path}`, new_text: content } }),
  replies: {
    rewrite: ({ args }) => ({ PreToolUse: { stdout: { cancel: false, overrideInput: args } } }),
    context: (text) => ({ PostToolUse: { stdout: { cancel: false, contextModification: text } } }),
  },
  setUp({ cwd, home, url, write, hookLine, mcp, events = Object.values(cline.events) }) {
    const settings = {
      provider: 'openai-compatible',
      apiKey: 'dummy',
      model: 'scripted',
      baseUrl: `${url}/v1`,
    };
    const provider = { settings, updatedAt: '2026-01-01T00:00:00.000Z', tokenSource: 'manual' };
    write(join(home, '.cline/data/settings/providers.json'), {
      version: 1,
      lastUsedProvider: 'openai-compatible',
      modes: {},
      providers: { 'openai-compatible': provider },
    });
    if (mcp !== undefined) {
      write(join(home, '.cline/data/settings/cline_mcp_settings.json'), { mcpServers: { notes: mcp } });
    }
    for (const event of events) {
      const file = join(cwd, '.clinerules/hooks', event);
      write(file, `#!/bin/sh\nexec ${hookLine(event)}\n`);
      chmodSync(file, 0o755);
    }
  },
  command: ({ modules, prompt, cwd }) => ({
    argv: [
      join(modules, '@cline/cli-linux-x64/bin/cline'),
      ...['--json', '-t', '50', '-c', cwd, '-P', 'openai-compatible', '-m', 'scripted', prompt],
    ],
    env: { CLINE_TELEMETRY_DISABLED: '1', DO_NOT_TRACK: '1', CLINE_NO_AUTO_UPDATE: '1' },
  }),
};
