/**
 * Built-ins charge before they work. Each is called at its worst under 64 MB and 100 ms, on both back ends, in a process with a
 * small heap: it ends with a value or an error of the script, and neither memory nor time runs away from the limits.
 */
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { TOOL_BUILTINS } from '../../src/agent/tools/environment.ts';
import { Callable, StarObject, UNIVERSE, type Value } from '../../src/exports/starlark.ts';
import { HOOK_BUILTINS } from '../../src/script/environment.ts';
import { attrNames } from '../../src/starlark/lib/attributes.ts';
import { evaluate } from '../support/evaluate.ts';
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

/**
 * Of the whole process: 130 MB of Node with the payload, the limit of 64, and as much again, since what is charged is at least half of
 * what is taken; 316 is the most measured.
 */
const HEAP_MB = 300;
const MOST_MB = 380;
/**
 * The limit of 100 ms is time of the clock, which a built-in looks at before it reads 8 MB and behind it: as many times the CPU of
 * counting until the limit (the worst measured is 3.2 times). Looking for paths has one look at a whole text: 15.4 times.
 */
// `re.replace` with a hundred thousand references takes 1.5 s in both back ends: 2.8 times counting in closures, 11 times in the code that V8 compiles.
const timesOf = (name: string) => (name.startsWith('path.') ? 24 : name.startsWith('re.replace') ? 16 : 8);

const NAMES = Object.keys(WORST);
const SHARES = 4;
const shares = BACKENDS.flatMap((backend) =>
  Array.from({ length: SHARES }, (_, share) => ({ backend, share, part: share + 1 })),
);

let child: ChildProgram;
beforeAll(async () => {
  child = await bundleChild('builtins-run');
});
afterAll(() => child?.remove());

describe('a built-in of scripts', () => {
  it.each(shares)(
    '[S22] [S28] charges before it works, whatever it is given: $backend, part $part',
    async (one) => {
      const { backend, share } = one;
      const isMine = (name: string) => NAMES.indexOf(name) % SHARES === share;
      const flags = ['--expose-gc', `--max-old-space-size=${HEAP_MB}`];
      const { stdout, stderr, code, signal } = await child.run({
        flags,
        args: [backend, String(share), String(SHARES)],
        cpuSeconds: 200,
      });
      const lines = stdout.trimEnd().split('\n');
      const [counting, ...runs] = lines
        .filter((line) => line.startsWith('{'))
        .map((line) => JSON.parse(line) as Line);
      // Which one ended the process is the first that is missing.
      expect(runs.map(({ name }) => name)).toEqual(NAMES.filter(isMine));
      expect([code, signal, stderr, lines.at(-1)]).toEqual([0, null, '', 'done']);
      expect(
        runs.filter(({ name, peakMb, cpuMs }) => peakMb > MOST_MB || cpuMs > timesOf(name) * counting!.cpuMs),
      ).toEqual([]);
      const refused = runs.filter(({ message }) =>
        /limit of|too large|stand for more|nested deeper/.test(message),
      );
      expect(refused.map(({ name }) => name)).toEqual(expect.arrayContaining(LIMITED.filter(isMine)));
      // A row that is wrong shows nothing.
      expect(
        runs.filter(({ message }) => /\bno \.|out of range|unexpected|missing arg/.test(message)),
      ).toEqual([]);
    },
  );

  it('has its row in the table', () => {
    const named = new Set(NAMES.map((name) => name.split(' ')[0]));
    const all = [
      ...[...UNIVERSE, ...HOOK_BUILTINS, ...TOOL_BUILTINS].flatMap(([name, value]) => calls(name, value)),
      ...Object.entries(SAMPLES).flatMap(([type, sample]) => methods(type, evaluate(sample))),
    ];
    expect([...new Set(all)].filter((name) => !named.has(name))).toEqual([]);
  });
});

/** The functions that a name leads to. */
function calls(path: string, value: Value): string[] {
  const own = value instanceof Callable ? [path] : [];
  if (!(value instanceof StarObject)) return own;
  return [...own, ...value.attrNames().flatMap((name) => calls(`${path}.${name}`, value.attr(name) ?? null))];
}

/** A value of each type that has methods. */
const SAMPLES = { str: '""', list: '[]', dict: '{}', set: 'set()', bytes: 'b""' } as const;

function methods(type: string, sample: Value): string[] {
  return attrNames(sample).map((name) => `${type}.${name}`);
}

/** These stand for so much that only a limit can end them. */
const LIMITED = [
  'list',
  'set.union',
  'str.join',
  'str.replace',
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
  'json.encode the payload',
  'json.indent',
  'json.encode_indent',
  're.search many groups',
  're.findall',
  're.split',
  're.replace',
  're.replace references',
  'string.join',
  'string.pad_left',
  'modify',
  'modify texts',
  'delegate',
  'remind',
  'annotate many',
  'log',
  'log.info',
  'cache.set',
  'ctx.set',
  'state.set',
  'flow.of',
  'flow.of the payload',
  'flow.of effects',
  'http.post',
  'emit',
  'events.emit',
  'meta.call_tool',
  'meta.register_tool',
  'meta.register_agent',
];
