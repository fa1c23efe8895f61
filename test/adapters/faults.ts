/**
 * What can go wrong between an agent and its answer, as data: each fault says what it does to the launcher, the policy or the
 * payload, and what kind of answer is required. The cells of the matrix are these times the rows of the adapters' tables.
 */
import { mkdirSync, readFileSync, rmSync, symlinkSync, truncateSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { MARK } from '../../src/agents/guard-line.ts';
import type { Json, JsonObject } from '../../src/base/json.ts';

/**
 * `pass`: silence. `policy`: a block that the policy says, whatever the fail mode. `launcher`: the launcher's own block; with fail
 * open it lets the agent go on, and says so. The rest blocks in both modes: `guard` is the guard's refusal, `missing` that
 * of a guard that finds no engine, `line` what the registered line does without a guard.
 */
export type Required = 'pass' | 'policy' | 'launcher' | 'guard' | 'missing' | 'line';

export interface Fault {
  readonly name: string;
  readonly about: string;
  readonly required: Required;
  /** In the place of the launcher's file; null: there is no file. */
  readonly launcher?: string | null;
  /** Done to the guard. */
  readonly guard?: (path: string) => void;
  /** Programs that stand before all others on PATH, by name; only `sh` and `sleep` stand behind them. */
  readonly programs?: Readonly<Record<string, string>>;
  /** The user's copy has no Node of its own. */
  readonly noNode?: true;
  readonly env?: Readonly<Record<string, string>>;
  /** Done to the project before. */
  readonly policy?: (dir: string) => void;
  /** Null for a sample that cannot have this fault: its agent does not send such a field. */
  readonly input?: (sample: JsonObject) => string | null;
  /** Before the line, in the same shell. */
  readonly limits?: string;
  /** Of the guard, in seconds. */
  readonly limit?: number;
  /** What a block of the launcher says went wrong. */
  readonly problem?: RegExp;
  /** Part of `npm test`: at every event, or at calls and prompts only. */
  readonly quick?: 'everywhere' | 'gates';
  /** Only for events that carry a tool call. */
  readonly calls?: true;
  /** Only at calls and prompts: it is found before the event is looked at, as one that is tried everywhere. */
  readonly gates?: true;
}

const SHORT = 1;
const HOOK = '.harness/hooks/rule.md';

/** A strict policy, whose hooks all allow. */
export function writePolicy(dir: string): void {
  mkdirSync(join(dir, '.harness/hooks'), { recursive: true });
  writeFileSync(join(dir, '.harness/harness.md'), '---\nstrict: true\n---\n');
  for (const event of ['tool.pre', 'tool.post', 'turn.start', 'agent.stop']) {
    const name = event.replace('.', '_');
    const text = `---\nevent: ${event}\npriority: 1\nscript: |\n  def handle(event, payload):\n    return allow()\n---\n`;
    writeFileSync(join(dir, `.harness/hooks/${name}.md`), text);
  }
}

export const FAULTS: readonly Fault[] = [
  { name: 'none', about: 'Everything is as it should be.', required: 'pass', quick: 'gates' },
  {
    name: 'killed',
    about: 'The launcher is killed while it decides.',
    required: 'guard',
    launcher: `process.stdout.write('{"half'); process.kill(process.pid, 'SIGKILL');`,
    quick: 'gates',
  },
  {
    name: 'stopped',
    about: 'The launcher is stopped (SIGSTOP).',
    required: 'guard',
    launcher: `process.kill(process.pid, 'SIGSTOP');`,
    limit: SHORT,
  },
  {
    name: 'hanging',
    about: 'The launcher waits for ever.',
    required: 'guard',
    launcher: 'setInterval(() => {}, 1000);',
    limit: SHORT,
  },
  {
    name: 'spinning',
    about: 'The launcher computes for ever, after half an answer.',
    required: 'guard',
    launcher: `process.stdout.write('{"half'); for (;;);`,
    limit: SHORT,
  },
  {
    name: 'launcher gone',
    about: 'Its file was deleted.',
    required: 'missing',
    launcher: null,
    quick: 'everywhere',
  },
  {
    name: 'launcher empty',
    about: 'Its file is empty: a full disk in mid-update.',
    required: 'guard',
    launcher: '',
  },
  {
    name: 'launcher broken',
    about: 'Its file is cut off in the middle.',
    required: 'guard',
    launcher: `"use strict";const chunks={`,
  },
  {
    name: 'engine gone',
    about: 'What it loads was deleted.',
    required: 'guard',
    launcher: `require('./deleted.cjs');`,
  },
  {
    name: 'node gone',
    about: 'The Node binary was deleted, and none is on PATH.',
    required: 'missing',
    noNode: true,
    programs: {},
  },
  {
    name: 'no HOME',
    about: 'The agent runs hooks without HOME, so that the user’s copy is not found.',
    required: 'missing',
    env: { HOME: '' },
    programs: {},
  },
  {
    name: 'no tools',
    about: 'Nothing but a shell is on PATH: there is no `sleep` either.',
    required: 'pass',
    programs: { sleep: '#!/nonexistent\n' },
  },
  {
    name: 'PATH shims',
    about: 'Other programs named node and harness-hooks stand first on PATH.',
    required: 'pass',
    programs: {
      node: `#!/bin/sh\nprintf '{"shim":true}${MARK}'\n`,
      'harness-hooks': `#!/bin/sh\nprintf '{"shim":true}${MARK}'\n`,
    },
    quick: 'gates',
  },
  {
    name: 'guard gone',
    about: '`.harness/guard` was deleted.',
    required: 'line',
    guard: (path) => rmSync(path),
    quick: 'everywhere',
  },
  {
    name: 'guard unreadable',
    about: '`.harness/guard` cannot be read.',
    required: 'line',
    guard: (path) => {
      rmSync(path);
      mkdirSync(path);
    },
  },
  {
    name: 'guard a dead link',
    about: '`.harness/guard` is a link to nothing.',
    required: 'line',
    guard: (path) => {
      rmSync(path);
      symlinkSync('/nonexistent/guard', path);
    },
  },
  {
    name: 'guard cut off',
    about: '`.harness/guard` ends in the middle: a full disk, or a checkout that was interrupted.',
    required: 'line',
    guard: (path) => truncateSync(path, Math.floor(readFileSync(path).length * 0.6)),
    quick: 'gates',
  },
  {
    name: 'guard killed',
    about: 'The guard is killed.',
    required: 'line',
    guard: (path) => writeFileSync(path, 'kill -9 $$'),
    quick: 'gates',
  },
  ...[1, 2, 3, 127, 255].map(
    (code): Fault => ({
      name: `exit ${code}`,
      about: `The launcher ends with exit code ${code} and says something that is no answer.`,
      required: 'guard',
      launcher: `process.stdout.write('{}'); process.exitCode = ${code};`,
    }),
  ),
  {
    name: 'policy broken',
    about: 'A hook of the policy cannot be read.',
    required: 'policy',
    policy: (dir) => writeFileSync(join(dir, HOOK), 'no hook at all'),
    quick: 'gates',
  },
  {
    name: 'policy deleted',
    about: 'The policy folder is gone, and the guard with it.',
    required: 'line',
    policy: (dir) => rmSync(join(dir, '.harness'), { recursive: true }),
    quick: 'gates',
  },
  {
    name: 'policy emptied',
    about: 'The policy folder is there and holds no rule, only the guard.',
    required: 'launcher',
    policy: (dir) => {
      for (const name of ['hooks', 'harness.md']) rmSync(join(dir, '.harness', name), { recursive: true });
    },
    problem: /the policy of this project is empty/,
  },
  {
    name: 'project deleted',
    about: 'The whole project folder is gone.',
    required: 'line',
    policy: (dir) => rmSync(dir, { recursive: true }),
  },
  {
    name: 'payload empty',
    about: 'Nothing on stdin.',
    required: 'launcher',
    input: () => '',
    problem: /not usable JSON/,
    gates: true,
  },
  {
    name: 'payload garbage',
    about: 'Bytes that are no JSON.',
    required: 'launcher',
    input: () => '\u0000\u0001 garbage',
    problem: /not usable JSON/,
    quick: 'everywhere',
  },
  {
    name: 'payload half',
    about: 'JSON that is cut off.',
    required: 'launcher',
    input: (sample) => JSON.stringify(sample).slice(0, -10),
    problem: /not usable JSON/,
    gates: true,
  },
  {
    name: 'payload twice',
    about: 'A key that stands twice: two programs would read two things.',
    required: 'launcher',
    input: (sample) => `${JSON.stringify(sample).slice(0, -1)},"${Object.keys(sample)[0]}":"other"}`,
    problem: /stands twice/,
    gates: true,
  },
  {
    name: 'payload list',
    about: 'JSON of another kind.',
    required: 'launcher',
    input: () => '[]',
    problem: /want an object/,
    gates: true,
  },
  {
    name: 'event unknown',
    about: 'The payload names an event that does not exist.',
    required: 'launcher',
    input: (sample) => withField(sample, ['hook_event_name', 'hookName', 'event'], 'NoSuchEvent'),
    problem: /NoSuchEvent/,
  },
  {
    name: 'value unknown',
    about: 'A field has a value of another type.',
    required: 'launcher',
    input: (sample) => withField(sample, ['tool_name', 'toolName', 'tool_call', 'tool_result'], 7),
    problem: /want tool_?name to be a text, got a number|want a tool call with a name, got none/i,
    calls: true,
    quick: 'gates',
  },
  {
    name: 'field unknown',
    about: 'A field that no table knows.',
    required: 'pass',
    input: (sample) => JSON.stringify({ ...sample, some_new_field: { deep: [1, 2, 3] } }),
  },
  {
    name: 'payload of 20 MB',
    about: 'A very large payload.',
    required: 'pass',
    input: (sample) =>
      withField(sample, ['tool_input', 'toolArgs'], { command: 'true', text: 'x'.repeat(20_000_000) }),
    limit: 60,
    calls: true,
  },
  {
    name: 'state read-only',
    about: 'The folder of tapes and state takes no file: it is read-only, or somebody else’s.',
    required: 'launcher',
    // No user can make a file there, root neither.
    policy: (dir) => writeFileSync(join(dir, '.harness/runs'), ''),
    problem: /./,
    quick: 'gates',
  },
  {
    name: 'disk full',
    about: 'Neither tape nor state can be written.',
    required: 'launcher',
    limits: 'ulimit -f 0',
    problem: /./,
    quick: 'gates',
  },
];

/** The sample with another value under the first of the names that it has. */
function withField(sample: JsonObject, names: readonly string[], value: Json): string | null {
  const name = names.find((each) => Object.hasOwn(sample, each));
  return name === undefined ? null : JSON.stringify({ ...sample, [name]: value });
}
