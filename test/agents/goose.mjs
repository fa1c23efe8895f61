// Goose, headless, with a plugin folder in the project, on Chat Completions. Its hooks are called and their answers ignored.
import { join } from 'node:path';

export const goose = {
  name: 'goose',
  packages: { '@aaif/goose': '0.20.1' },
  events: { pre: 'PreToolUse', post: 'PostToolUse', prompt: 'UserPromptSubmit' },
  adapter: 'goose',
  // What becomes of a call whose hook ends so, with a text on stderr.
  exitCodes: { 1: 'runs', 2: 'runs', 127: 'runs' },
  observeOnly: true,
  observed: [
    ...['observe', 'two-tools-at-once', 'policy-harmless', 'policy-observed', 'policy-two-at-once'],
    ...['policy-mcp-harmless', 'installed', 'policy-own-write', 'policy-init-write', 'policy-broken'],
    ...['policy-every-tool', 'policy-init-day'],
  ],
  mcpTool: 'notes__keep',
  writeFile: (path, content) => ({ name: 'write', args: { path: `{{cwd}}/${path}`, content } }),
  shell: (command) => ({ name: 'shell', args: { command } }),
  replies: {},
  setUp({ cwd, home, write, hookLine, mcp, events = Object.values(goose.events) }) {
    const hooks = events.map((event) => [
      event,
      [{ hooks: [{ type: 'command', command: hookLine(event), timeout: 10 }] }],
    ]);
    const plugin = join(cwd, '.agents/plugins/recording');
    if (hooks.length > 0) {
      write(join(plugin, 'plugin.json'), { name: 'recording', version: '1.0.0', description: 'a test' });
      write(join(plugin, 'hooks/hooks.json'), { hooks: Object.fromEntries(hooks) });
    }
    const developer = ['  developer:', '    enabled: true', '    type: platform', '    name: developer'];
    const config = ['GOOSE_MODE: auto', 'GOOSE_TELEMETRY_ENABLED: false', 'extensions:', ...developer];
    const notes = mcp === undefined ? [] : ['  notes:', ...serverLines(mcp).map((line) => `    ${line}`)];
    const lines = [...config, '    description: tools', ...notes];
    write(join(home, '.config/goose/config.yaml'), `${lines.join('\n')}\n`);
  },
  command: ({ modules, prompt, url }) => ({
    argv: [
      join(modules, '@aaif/goose-binary-linux-x64/bin/goose'),
      ...['run', '--no-session', '--with-builtin', 'developer', '--max-turns', '20', '-t', prompt],
    ],
    env: {
      GOOSE_PROVIDER: 'openai',
      GOOSE_MODEL: 'gpt-4o',
      OPENAI_HOST: url,
      OPENAI_API_KEY: 'dummy',
      GOOSE_DISABLE_KEYRING: '1',
      GOOSE_MODE: 'auto',
      GOOSE_TELEMETRY_ENABLED: 'false',
    },
  }),
};

function serverLines({ command, args }) {
  return [
    ...['enabled: true', 'type: stdio', 'name: notes', 'description: notes', 'timeout: 30'],
    ...[`cmd: ${command}`, `args: ${JSON.stringify(args)}`, 'envs: {}'],
  ];
}
