/**
 * The conformance corpus on both back ends: every chunk does what it says, and both do exactly the same.
 */
import { dirname, join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { type Chunk, CORPUS, corpusFiles, readChunks } from './chunks.ts';
import { BACKENDS, type Backend, type Failure, type Outcome, runScript } from './script.ts';

function run(chunk: Chunk, backend: Backend): Outcome {
  const { dialect, limits, file, text } = chunk;
  return runScript(text, { backend, dialect, limits, file, modules: join(CORPUS, dirname(file), 'modules') });
}

/** What the chunk expected and did not get, and what it got without expecting it. */
function discrepancies(chunk: Chunk, failures: readonly Failure[]): string[] {
  const missing = new Map(chunk.expected);
  const found: string[] = [];
  for (const { line, message } of failures) {
    if (missing.get(line)?.test(message)) missing.delete(line);
    else found.push(`${chunk.file}:${line}: unexpected error: ${message}`);
  }
  for (const [line, pattern] of missing)
    found.push(`${chunk.file}:${line}: no error that matches ${pattern}`);
  return found;
}

for (const file of corpusFiles()) {
  describe(file, () => {
    for (const chunk of readChunks(file)) {
      it(`line ${chunk.line}: gives what it states, alike on both back ends`, () => {
        const [first, second] = BACKENDS.map((backend) => run(chunk, backend));
        expect(discrepancies(chunk, first!.failures)).toEqual([]);
        expect(second).toEqual(first);
      });
    }
  });
}
