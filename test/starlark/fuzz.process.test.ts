/**
 * Fuzzing for a bounded time. Random programs must do exactly the same on both back ends; damaged texts must be refused
 * with errors, never with an exception of the host. STARLARK_FUZZ_SEED repeats a run, STARLARK_FUZZ_SECONDS lengthens it.
 */
import { expect, it } from 'vitest';
import { compile, SourceFile } from '../../src/exports/starlark.ts';
import { corpusFiles, readChunks } from './chunks.ts';
import { generateProgram } from './program-generator.ts';
import { Random } from './random.ts';
import { BACKENDS, runScript } from './script.ts';

const SECONDS = Number(process.env.STARLARK_FUZZ_SECONDS ?? 8);
const SEED = Number(process.env.STARLARK_FUZZ_SEED ?? Date.now() % 1_000_000_000);
const LIMITS = { steps: 20_000, memory: 300_000, depth: 60, intBits: 4096 };

/** Runs `round` with seed after seed until its share of the time is over; at least once. */
function fuzz(share: number, round: (seed: number) => void): number {
  const end = performance.now() + SECONDS * share * 1000;
  let rounds = 0;
  do round(SEED + rounds++);
  while (performance.now() < end);
  return rounds;
}

const timeout = SECONDS * 1000 + 280_000;

it(`random programs do the same on both back ends (seed ${SEED})`, { timeout }, () => {
  const rounds = fuzz(0.8, (seed) => {
    const { text, recursion } = generateProgram(new Random(seed));
    const dialect = { while: true, recursion };
    const [first, second] = BACKENDS.map((backend) => runScript(text, { backend, dialect, limits: LIMITS }));
    const statics = first!.failures.filter(({ kind }) => kind === 'static');
    expect(statics, `seed ${seed} is no program:\n${text}`).toEqual([]);
    // Comparing texts is quick; the deep comparison is for showing where two runs part.
    if (JSON.stringify(second) !== JSON.stringify(first))
      expect(second, `seed ${seed}:\n${text}`).toEqual(first);
  });
  console.log(`fuzz: ${rounds} programs from seed ${SEED}`);
});

const JUNK = '()[]{}:,.;=+-*/%<>!&|^~#\\\'"\n\t \r\0`$@?é😀\ud800'
  .split('')
  .concat([
    'def ',
    'lambda ',
    'if ',
    'else ',
    'for ',
    'in ',
    'not ',
    'load(',
    '"""',
    '\n    ',
    '0x',
    '1e',
    'b"',
    'r"',
    '\\u',
  ]);

function damage(random: Random, text: string): string {
  let damaged = text;
  for (let i = 1 + random.below(4); i > 0; i--) {
    const at = random.below(damaged.length + 1);
    const cut = random.chance(0.6) ? random.below(6) : 0;
    damaged = damaged.slice(0, at) + (random.chance(0.7) ? random.pick(JUNK) : '') + damaged.slice(at + cut);
  }
  return damaged;
}

it(`a damaged text compiles or is refused with positions (seed ${SEED})`, { timeout }, () => {
  const chunks = corpusFiles().flatMap(readChunks);
  const rounds = fuzz(0.2, (seed) => {
    const random = new Random(seed);
    const text = damage(random, random.pick(chunks).text.trim());
    let compiled: ReturnType<typeof compile>;
    try {
      compiled = compile(new SourceFile('damaged.star', text), { backend: random.pick(BACKENDS) });
    } catch (error) {
      throw new Error(`seed ${seed}: a host exception for\n${text}`, { cause: error });
    }
    if (compiled.ok) return;
    expect(compiled.errors.length).toBeGreaterThan(0);
    const lines = text.split('\n').length;
    for (const { message, position } of compiled.errors) {
      expect(message).toMatch(/\S/);
      expect(position.line).toBeGreaterThan(0);
      expect(position.line).toBeLessThanOrEqual(lines);
      expect(position.col).toBeGreaterThan(0);
    }
  });
  console.log(`fuzz: ${rounds} damaged texts from seed ${SEED}`);
});
