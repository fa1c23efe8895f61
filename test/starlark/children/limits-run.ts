/**
 * Runs the allocating forms on one back end, with growing sizes, and prints for each run what it was charged and what is
 * alive after a collection: one line of JSON a run. With `endless` it makes each form until a limit ends it.
 */
import {
  attempt,
  call,
  compile,
  type Module,
  SourceFile,
  Thread,
  type Value,
  wrapJson,
} from '../../../src/exports/starlark.ts';
import { GROWING, KEPT, PRELUDE } from '../allocating-forms.ts';
import { modules } from '../environment.ts';
import type { Backend } from '../script.ts';

const [mode, backend, share = '0', shares = '1', only] = process.argv.slice(2) as [
  string,
  Backend,
  string?,
  string?,
  string?,
];

/** Rounds of a kept form, and sizes of a growing one. */
const ROUNDS = [5000, 10_000, 20_000];
const SIZES = [10_000, 20_000, 40_000];
const LIMITS = { steps: 20_000_000, memory: 16 * 1024 * 1024, depth: 100, intBits: 65_536 };

const payload = {
  a: { f: 0.5, g: 1.5, s: 'text' },
  b: { f: 2.5, g: 3.5, s: 'text' },
  list: [1, 2, 'three'],
  floats: [0.5, 1.5, 2.5],
  longs: [2 ** 60, 2 ** 70],
  nested: [[[], []], [{}], [1], [2]],
  many_floats: Array.from({ length: 80_000 }, (_, i) => i + 0.5),
  many_objects: Array.from({ length: 20_000 }, () => ({ a: 1 })),
  wide_object: Object.fromEntries(Array.from({ length: 20_000 }, (_, i) => [`k${i}`, i + 0.5])),
};

function sourceOf(name: string, form: string, growing: boolean): string {
  // Not a list of numbers alone, which the engine would keep unboxed.
  const body = growing
    ? `    return ${form}\n`
    : `    kept = [""]\n    for i in range(n):\n        kept.append(${form})\n    return kept\n`;
  return `# ${name}\n${PRELUDE}\ndef run(n, payload):\n${body}`;
}

interface Prepared {
  readonly name: string;
  readonly growing: boolean;
  readonly run: Value;
}

const environment = new Map<string, Value>(modules());

function prepare(name: string, form: string, growing: boolean): Prepared {
  const source = new SourceFile(name, sourceOf(name, form, growing));
  const compiled = compile(source, { environment, backend });
  if (!compiled.ok) throw new Error(`${name}: ${JSON.stringify(compiled.errors[0])}`);
  const module = compiled.program.run(new Thread()) as Module;
  return { name, growing, run: module.globals.get('run')! };
}

const collect = (globalThis as { gc?: () => void }).gc ?? (() => {});

function alive(): number {
  collect();
  collect();
  const { heapUsed, external } = process.memoryUsage();
  return heapUsed + external;
}

function measure(prepared: Prepared): void {
  // What the engine learns about the code stays too, and is nobody's.
  measureOne(prepared, 100);
  for (const n of prepared.growing ? SIZES : ROUNDS) {
    const { name, growing } = prepared;
    console.log(JSON.stringify({ name, growing, n, ...measureOne(prepared, n) }));
  }
}

/** In a call of its own, so that nothing of one run is alive in the next. */
function measureOne({ run }: Prepared, n: number): { charged: number; live: number; steps: number } {
  const before = alive();
  const thread = new Thread();
  const kept = call(thread, run, [n, wrapJson(payload)]);
  const live = alive() - before;
  // Asked for after the measurement, which keeps it alive until then.
  if (kept === undefined) throw new Error('a run without a value');
  return { charged: thread.memory, live, steps: thread.steps };
}

/** Makes more and more until a limit ends it; the heap is small, so that what is not charged for would end the process. */
function exhaust({ name, run }: Prepared): void {
  const thread = new Thread({ limits: LIMITS });
  let n = 1000;
  for (;;) {
    const result = attempt(thread, () => call(thread, run, [n, wrapJson(payload)]));
    if (!result.ok) {
      console.log(JSON.stringify({ name, n, ended: result.error.kind }));
      return;
    }
    n *= 4;
  }
}

const all = [
  ...Object.entries(KEPT).map(([name, form]) => ({ name, form, growing: false })),
  ...Object.entries(GROWING).map(([name, form]) => ({ name, form, growing: true })),
];
all.forEach(({ name, form, growing }, place) => {
  if (place % Number(shares) !== Number(share)) return;
  if (only !== undefined && !name.includes(only)) return;
  const prepared = prepare(name, form, growing);
  if (mode === 'endless') exhaust(prepared);
  else measure(prepared);
});
console.log('done');
