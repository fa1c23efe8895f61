/**
 * All of what security.process.test.ts has a part of: every attack at full limits, every hostile name in every place, the whole
 * corpus over the engine's own objects, a thousand runs, and processes that differ.
 */
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { bundleChild, type ChildProgram } from './child.ts';
import { corpusFiles, readChunks } from './chunks.ts';
import { pictureIntrinsics } from './intrinsics.ts';
import { generateProgram } from './program-generator.ts';
import { Random } from './random.ts';
import { BACKENDS, runScript } from './script.ts';
import { ATTACKS, expectPasses, HOSTILE, LIMITS, POSITIONS, run, runBoth } from './security-cases.ts';

describe('limits end every attack on memory and time', () => {
  for (const [name, [text, kind]] of Object.entries(ATTACKS)) {
    it(name, () => {
      expect(runBoth(text).failures[0]?.kind ?? 'none').toMatch(kind);
    });
  }
});

describe('a hostile name is only a name', () => {
  for (const [position, make] of Object.entries(POSITIONS)) {
    it(`as ${position}`, () => {
      for (const name of HOSTILE.split(' ')) expectPasses(make(name));
    });
  }

  it('as a name that nobody declared', () => {
    // Some of them could be found by a back end that looked them up in the host.
    for (const name of HOSTILE.replace(' catch ', ' ').split(' ')) {
      for (const text of [`x = ${name}`, `def f(): return ${name}`, `${name}()`, `x = ${name}.x`]) {
        expect(runBoth(text).failures[0]?.message).toMatch(new RegExp(`^undefined: ${name}`));
      }
    }
  });

  it('as a loaded name', () => {
    for (const name of HOSTILE.split(' ')) {
      const { failures } = runBoth(`load("nowhere.star", "${name}")\nx = ${name}`);
      expect(failures[0]?.message).toMatch(/nowhere\.star|underscore/);
    }
  });
});

describe('the engine is left as it was', () => {
  it('no intrinsic differs after the corpus and random programs have run', () => {
    const before = pictureIntrinsics();
    for (const chunk of corpusFiles().flatMap(readChunks)) {
      for (const backend of BACKENDS) {
        runScript(chunk.text, { backend, dialect: chunk.dialect, limits: { ...LIMITS, ...chunk.limits } });
      }
    }
    for (let seed = 0; seed < 50; seed++) run(generateProgram(new Random(seed)).text, 'js');
    expect(pictureIntrinsics()).toEqual(before);
  });
});

describe('the same script does the same, always', () => {
  it('in 1,000 runs', () => {
    const { text, recursion } = generateProgram(new Random(11));
    const limits = { steps: 20_000, memory: 300_000, depth: 60, intBits: 4096 };
    const outcomes = new Set<string>();
    for (let i = 0; i < 1000; i++) {
      const backend = BACKENDS[i % 2]!;
      outcomes.add(JSON.stringify(runScript(text, { backend, limits, dialect: { while: true, recursion } })));
    }
    expect(outcomes.size).toBe(1);
  });

  let child: ChildProgram;
  beforeAll(async () => {
    child = await bundleChild('corpus-run');
  });
  afterAll(() => child?.remove());

  it('in two processes, one of them with frozen intrinsics, and where code may not be generated', async () => {
    const plain = await child.run({ args: ['js'] });
    expect(plain.stderr).toBe('');
    expect(plain.stdout.split('\n').length).toBeGreaterThan(500);
    const frozen = await child.run({ args: ['js', 'freeze'] });
    expect(frozen.stderr).toBe('');
    expect(frozen.stdout).toBe(plain.stdout);
    const forbidden = '--disallow-code-generation-from-strings';
    const closures = await child.run({ flags: [forbidden], args: ['closures'] });
    expect(closures.stderr).toBe('');
    expect(closures.stdout).toBe(plain.stdout);
    const fallback = await child.run({ flags: [forbidden], args: ['js'] });
    expect(fallback.stdout).toBe(plain.stdout);
  });
});
