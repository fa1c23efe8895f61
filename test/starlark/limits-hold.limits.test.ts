/**
 * The memory limit is real. Every allocating form runs in a process of its own, many times and at growing sizes: what
 * is alive after a collection stays under twice what was charged, what is charged grows with what is made and no faster,
 * and a process with a small heap outlives every one of them.
 */
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { GROWING, KEPT } from './allocating-forms.ts';
import { bundleChild, type ChildProgram } from './child.ts';
import { BACKENDS } from './script.ts';

interface Run {
  readonly name: string;
  readonly growing: boolean;
  readonly n: number;
  readonly charged: number;
  readonly live: number;
  readonly steps: number;
}

const SHARES = 3;
/** What a process keeps beside what the script made: code, caches, the payload turned into values. */
const CONSTANT = 600_000;
/** A search is charged for all the text it may have to read, which for many matches in one text is more than it does. */
const SEARCHES = /^re\./;

let child: ChildProgram;
beforeAll(async () => {
  child = await bundleChild('limits-run');
});
afterAll(() => child?.remove());

async function linesOf(mode: string, heap: number, backend: string, share: number): Promise<string[]> {
  const flags = ['--expose-gc', `--max-old-space-size=${heap}`];
  const args = [mode, backend, String(share), String(SHARES)];
  const { stdout, stderr, code, signal } = await child.run({ flags, args, cpuSeconds: 600 });
  expect(stderr).toBe('');
  expect([code, signal]).toEqual([0, null]);
  const lines = stdout.trimEnd().split('\n');
  expect(lines.pop()).toBe('done');
  return lines;
}

const COUNT = Object.keys(KEPT).length + Object.keys(GROWING).length;
const shares = BACKENDS.flatMap((backend) =>
  Array.from({ length: SHARES }, (_, share) => ({ backend, share, part: share + 1 })),
);

describe('what is charged', () => {
  it.each(shares)(
    'holds what is alive, and grows with it: $backend, part $part',
    { timeout: 900_000 },
    async ({ backend, share }) => {
      const runs = (await linesOf('measure', 512, backend, share)).map((line) => JSON.parse(line) as Run);
      expect(runs.length).toBeGreaterThanOrEqual(3 * Math.floor(COUNT / SHARES));
      const wrong: string[] = [];
      for (const { name, n, live, charged } of runs) {
        if (live > 2 * charged + CONSTANT)
          wrong.push(`${name}: ${live} bytes alive at ${n}, ${charged} charged`);
      }
      for (let i = 0; i + 2 < runs.length; i += 3) {
        const [a, b, c] = runs.slice(i, i + 3) as [Run, Run, Run];
        expect([b.name, b.n, c.n]).toEqual([a.name, 2 * a.n, 4 * a.n]);
        for (const cost of ['charged', 'steps'] as const) {
          if (cost === 'steps' && SEARCHES.test(a.name)) continue;
          // From n to 2n, and from there to 4n: twice as much for twice as much.
          const [first, second] = [b[cost] - a[cost], c[cost] - b[cost]];
          const isSteady = first === 0 ? second === 0 : second / first > 1.6 && second / first < 2.6;
          if (!isSteady) wrong.push(`${name(a)}: ${cost} ${a[cost]}, ${b[cost]}, ${c[cost]}`);
        }
      }
      expect(wrong).toEqual([]);
    },
  );
});

function name(run: Run): string {
  return `${run.name} (${run.growing ? 'growing' : 'many'})`;
}

describe('a process with a small heap', () => {
  it.each(shares)(
    'outlives every form made without end: $backend, part $part',
    { timeout: 900_000 },
    async ({ backend, share }) => {
      const ended = (await linesOf('endless', 80, backend, share)).map(
        (line) => JSON.parse(line) as { name: string; ended: string },
      );
      expect(ended.length).toBeGreaterThanOrEqual(Math.floor(COUNT / SHARES));
      const kinds = new Map(ended.map((each) => [each.ended, each.name]));
      for (const kind of kinds.keys()) expect(['memory', 'steps']).toContain(kind);
    },
  );
});
