// pi, headless, with an extension inside its process, on Chat Completions.
import { join } from 'node:path';

export const pi = {
  name: 'pi',
  packages: { '@mariozechner/pi-coding-agent': '0.73.1' },
  events: { pre: 'tool_call', post: 'tool_result', prompt: 'input', stop: 'turn_end' },
  adapter: 'pi',
  program: 'pi',
  rewritesPrompts: true,
  tellsFailures: true,
  // Nothing of ours is said without a screen but on stderr.
  writeFile: (path, content) => ({ name: 'write', args: { path, content } }),
  shell: (command) => ({ name: 'bash', args: { command } }),
  // Its hooks are code: what they can do is tried with the extension that `install` places.
  replies: {},
  without: {
    observe: 'there is no command hook to record',
    'two-tools-at-once': 'there is no command hook to record',
  },
  setUp({ home, url, write }) {
    const provider = {
      baseUrl: `${url}/v1`,
      api: 'openai-completions',
      apiKey: 'dummy',
      models: [{ id: 'scripted' }],
    };
    write(join(home, '.pi/agent/models.json'), { providers: { scripted: provider } });
  },
  command: ({ modules, prompt, node }) => ({
    argv: [
      node,
      join(modules, '@mariozechner/pi-coding-agent/dist/cli.js'),
      ...[
        '-p',
        '--mode',
        'json',
        '--offline',
        '--no-session',
        '--provider',
        'scripted',
        '--model',
        'scripted',
        prompt,
      ],
    ],
    env: { PI_OFFLINE: '1', PI_TELEMETRY: '0' },
  }),
};
