/**
 * Built-ins charge before they work. Each is called at its worst under the limits of a hook, on both back ends, in a process
 * with a small heap: it ends with a value or an error of the script, and neither memory nor time runs away from the limits.
 */
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { Builtin, Module } from '../../src/exports/starlark.ts';
import { HOOK_ENVIRONMENT } from '../../src/script/environment.ts';
import { bundleChild, type ChildProgram } from './child.ts';
import { WORST } from './hostile-builtins.ts';
import { BACKENDS } from './script.ts';

interface Line {
  readonly name: string;
  readonly ended: string;
  readonly message: string;
  readonly cpuMs: number;
  readonly peakMb: number;
}

/** Of the whole process; the limit of a hook is 256 MB, and what is charged is at least half of what is taken. */
const MOST_MB = 1000;
/** What a built-in may take between two looks at the clock, on a machine that others use. */
const MOST_CPU_MS = 10_000;

let child: ChildProgram;
beforeAll(async () => {
  child = await bundleChild('builtins-run');
});
afterAll(() => child?.remove());

describe('a built-in of hooks', () => {
  it.each(BACKENDS)('charges before it works, whatever it is given: %s', async (backend) => {
    const flags = ['--expose-gc', '--max-old-space-size=700'];
    const { stdout, stderr, code, signal } = await child.run({ flags, args: [backend], cpuSeconds: 200 });
    const lines = stdout.trimEnd().split('\n');
    const runs = lines.filter((line) => line.startsWith('{')).map((line) => JSON.parse(line) as Line);
    // Which one ended the process is the first that is missing.
    expect(runs.map(({ name }) => name)).toEqual(Object.keys(WORST));
    expect([code, signal, stderr, lines.at(-1)]).toEqual([0, null, '', 'done']);
    expect(runs.filter(({ peakMb, cpuMs }) => peakMb > MOST_MB || cpuMs > MOST_CPU_MS)).toEqual([]);
    const refused = runs.filter(({ message }) => /limit of|stand for more|nested deeper/.test(message));
    expect(refused.map(({ name }) => name)).toEqual(expect.arrayContaining(LIMITED));
  });

  it('that is a function of text has its row in the table', () => {
    const named = new Set(Object.keys(WORST).map((name) => name.split(' ')[0]));
    const missing = TEXT_MODULES.flatMap((name) => {
      const value = HOOK_ENVIRONMENT.get(name)!;
      const members = value instanceof Module ? [...value.globals] : [];
      return members.filter(([, each]) => each instanceof Builtin).map(([member]) => `${name}.${member}`);
    }).filter((name) => !named.has(name));
    expect(missing).toEqual([]);
  });
});

const TEXT_MODULES = ['json', 're', 'string', 'shell', 'path', 'secrets', 'base64', 'url', 'validate'];

/** These stand for so much that only a limit can end them. */
const LIMITED = [
  'path.match',
  'path.match product',
  'path.match empty lists',
  'path.match nested',
  'path.match open braces',
  'path.match unknown pieces',
  'validate.json',
  'validate.json items',
  'json.decode',
  'json.decode items',
  'json.encode',
  'json.indent',
  'json.encode_indent',
  're.search many groups',
  're.findall',
  're.split',
  're.replace',
  're.replace references',
  'string.join',
  'string.pad_left',
  'string.pad_right',
  'annotate',
  'http.post',
];
