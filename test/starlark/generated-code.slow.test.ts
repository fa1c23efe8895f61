/**
 * What the JavaScript back end writes of the whole corpus and of many random programs names nothing but its own.
 */
import { describe, it } from 'vitest';
import { corpusFiles, readChunks } from './chunks.ts';
import { check, later } from './generated-lint.ts';
import { generateProgram } from './program-generator.ts';
import { Random } from './random.ts';

describe('generated JavaScript', () => {
  it('of the corpus names nothing but its own', () => {
    for (const { text, dialect } of corpusFiles().flatMap(readChunks)) check(text, dialect);
  });

  it('of random programs names nothing but its own', () => {
    for (let seed = 0; seed < 20; seed++) check(generateProgram(new Random(seed)).text, { while: true });
  });

  it('of asynchronous programs names nothing but its own', () => {
    for (let seed = 100; seed < 110; seed++) {
      check(`r = fetch(1)\n${generateProgram(new Random(seed)).text}`, { while: true }, later);
    }
  });
});
