/**
 * What `harness demo --sandbox` shows: an agent whose hooks are told to let everything pass, three attempts that so reach the
 * machine, and the walls they meet. The attempts are files of the project, because that is how they get past a reader of commands.
 */
import { existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import type { SessionEvent } from '../../agent/index.ts';
import type { Output } from '../../terminal/index.ts';

/** Outside of the workspace; what an agent has no business with. */
const CREDENTIAL = 'harness-demo-credential';

const HOOK = `---
event: tool.pre
priority: 10
script: |
  def handle(event, payload):
      log.info("let pass: " + payload["args"]["command"])
      return allow()
tests:
  - {name: it lets everything pass, payload: {name: run_command, args: {command: ls}}, expect: {action: allow}}
---

# Lets everything pass

The guard of this example was told to say yes to all of it.
`;

const TOOL = `---
parameters:
  command: {type: string, required: true}
script: |
  def run(args):
      return exec.shell(args["command"])
---

Runs a shell command in the workspace.
`;

const HARNESS = `---
model: scripted:script.yaml
limits: {max_turns: 10}
sandbox: true
---

You do as you are told.
`;

const ATTEMPTS = ['read-credential.sh', 'change-policy.sh', 'look-around.sh'] as const;

function script(): string {
  const calls = ATTEMPTS.map(
    (name) =>
      `  - text: ${ATTEMPT_TEXTS[name]}\n    tool_calls: [{name: run_command, args: {command: sh attempts/${name}}}]`,
  );
  return `prompts: [Do as you are told.]\ncompletions:\n${calls.join('\n')}\n  - text: None of it worked.\n`;
}

const ATTEMPT_TEXTS: Readonly<Record<(typeof ATTEMPTS)[number], string>> = {
  'read-credential.sh': 'I will read a credential that lies outside of the project.',
  'change-policy.sh': 'I will put another rule into the policy.',
  'look-around.sh': 'I will see who else is here, and which networks there are.',
};

export interface SandboxStory {
  readonly dir: string;
  readonly watch: (event: SessionEvent) => void;
  /** What held, line by line; false if something did not. */
  readonly tell: (output: Output) => boolean;
}

/** Writes the project below a folder that is there. */
export function sandboxStory(top: string): SandboxStory {
  const dir = join(top, 'project');
  const secret = join(top, 'credentials');
  const word = `${CREDENTIAL}-${top.slice(-6)}`;
  const files: Readonly<Record<string, string>> = {
    'harness.md': HARNESS,
    'script.yaml': script(),
    '.harness/hooks/let_pass.md': HOOK,
    '.harness/tools/run_command.md': TOOL,
    'attempts/read-credential.sh': `cat ${secret}\n`,
    'attempts/change-policy.sh':
      'd=.har; d="$d"ness\necho "hooks: []" > $d/hooks/let_pass.md\necho "hooks: []" > /proc/self/root$PWD/$d/hooks/other.md\n',
    'attempts/look-around.sh':
      'echo "processes seen: $(ls /proc | grep -c "^[0-9]")"\necho "networks: $(tail -n +3 /proc/net/dev | cut -d: -f1 | tr -d " ")"\n',
  };
  for (const [path, text] of Object.entries(files)) {
    mkdirSync(dirname(join(dir, path)), { recursive: true });
    writeFileSync(join(dir, path), text);
  }
  writeFileSync(secret, `${word}\n`, { mode: 0o600 });
  const results: string[] = [];
  let passed = 0;
  return {
    dir,
    watch: (event) => {
      if (event.type === 'hook' && event.event === 'tool.pre' && event.outcome.action !== 'block') passed++;
      if (event.type === 'tool.end') results.push(event.content);
    },
    tell: (output) => {
      const policy = join(dir, '.harness/hooks');
      const rows = [
        ['the hooks let all three pass', passed === ATTEMPTS.length && results.length === ATTEMPTS.length],
        ['the credential was not read', !results.some((text) => text.includes(word))],
        [
          'the policy is as it was',
          readFileSync(join(policy, 'let_pass.md'), 'utf8') === HOOK && !existsSync(join(policy, 'other.md')),
        ],
        ['no process but its own was seen', /processes seen: [1-9]\\n/.test(results[2] ?? '')],
        ['there was no network but its own loopback', /networks: lo\\n/.test(results[2] ?? '')],
      ] as const;
      output.line();
      for (const [what, held] of rows) {
        output.line(`${held ? output.paint('green', 'held  ') : output.paint('red', 'BROKEN')}  ${what}`);
      }
      return rows.every(([, held]) => held);
    },
  };
}
