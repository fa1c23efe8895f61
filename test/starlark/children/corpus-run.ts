/**
 * Runs the whole corpus and some random programs on one back end and prints one digest line for each, so that processes
 * can be compared. `freeze` as second argument freezes every intrinsic first.
 */

import { dirname, join } from 'node:path';
import { CORPUS, corpusFiles, readChunks } from '../chunks.ts';
import { freezeIntrinsics } from '../intrinsics.ts';
import { generateProgram } from '../program-generator.ts';
import { Random } from '../random.ts';
import { type Backend, runScript } from '../script.ts';

const [backend, mode] = process.argv.slice(2) as [Backend, string?];
if (mode === 'freeze') freezeIntrinsics();

for (const file of corpusFiles()) {
  for (const { text, dialect, limits, line, expected } of readChunks(file)) {
    const { failures, steps, memory } = runScript(text, {
      backend,
      dialect,
      limits,
      file,
      modules: join(CORPUS, dirname(file), 'modules'),
    });
    const asStated = failures.every((failure) => expected.get(failure.line)?.test(failure.message));
    console.log(
      `${file}:${line} ${asStated ? 'ok' : JSON.stringify(failures)} steps=${steps} memory=${memory}`,
    );
  }
}
for (let seed = 0; seed < 100; seed++) {
  const { text, recursion } = generateProgram(new Random(seed));
  const limits = { steps: 20_000, memory: 300_000, depth: 60, intBits: 4096 };
  const outcome = runScript(text, { backend, dialect: { while: true, recursion }, limits });
  console.log(`seed ${seed} ${JSON.stringify(outcome)}`);
}
