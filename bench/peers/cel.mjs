// The governed stack in CEL: one condition a rule, parsed once; counting is the host's, CEL has no effects.
import { Environment } from '@marcbachmann/cel-js';

const RULES = [
  [
    'command_guard',
    'payload.name == "run_command"',
    '["rm -rf /", ":(){ :|:& };:", "mkfs", "dd if=", "shutdown"].exists(d, payload.args.command.contains(d))',
  ],
  [
    'path_guard',
    'payload.name in ["read_file", "write_file", "edit_file"]',
    'payload.args.path.startsWith("/") || ".." in payload.args.path.split("/")',
  ],
  ['prefer_named_tools', 'payload.name == "exec"', 'true'],
  [
    'meta_tool_guard',
    'payload.name in ["write_file", "edit_file"]',
    'payload.args.path.startsWith(".harness/")',
  ],
];

export async function prepare() {
  const environment = new Environment().registerVariable('payload', 'dyn');
  const rules = RULES.map(([hook, when, denies]) => ({
    hook,
    test: environment.parse(`${when} && (${denies})`),
  }));
  let calls = 0;
  return (text) => {
    const context = { payload: JSON.parse(text) };
    calls++;
    for (const { hook, test } of rules) if (test(context)) return { action: 'block', reason: hook, hook };
    return { action: 'allow', reason: null, hook: null, calls };
  };
}
