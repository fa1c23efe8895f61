/**
 * Reads the conformance corpus: files of chunks, each a program of its own that states what it expects to fail, and where.
 *
 * A line that is exactly `---` separates chunks. A trailing `### regex` says that an error on that line is expected; a run-time
 * error ends a chunk, so there is one at most, while every static error of a chunk has its own. Comments at the start of a
 * line steer the run: `# option: while recursion` chooses the dialect, `# limits: steps=1000` the limits, and
 * `# own: reason` marks what other implementations may do otherwise.
 */
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import type { Dialect, Limits } from '../../src/exports/starlark.ts';

export const CORPUS = fileURLToPath(new URL('./corpus', import.meta.url));

export interface Chunk {
  /** `int/bitwise.star` */
  readonly file: string;
  /** Where the chunk begins in the file, counted from 1. */
  readonly line: number;
  /** Padded with empty lines, so that lines are those of the file. */
  readonly text: string;
  readonly dialect: Dialect;
  readonly limits: Partial<Limits>;
  /** Expected errors by line. */
  readonly expected: ReadonlyMap<number, RegExp>;
}

const DIALECT_WORDS: Readonly<Record<string, keyof Dialect>> = {
  while: 'while',
  recursion: 'recursion',
  globalreassign: 'globalReassign',
  toplevelcontrol: 'topLevelControl',
  loadbindsglobally: 'loadBindsGlobally',
};

export function corpusFiles(): string[] {
  return readdirSync(CORPUS, { recursive: true, encoding: 'utf8' })
    .filter((name) => /^[^/]+\/[^/]+\.star$/.test(name))
    .sort();
}

export function readChunks(file: string): Chunk[] {
  const chunks: Chunk[] = [];
  let line = 1;
  for (const body of readFileSync(join(CORPUS, file), 'utf8').split(/^---\n/m)) {
    chunks.push(readChunk(file, line, body));
    line += body.split('\n').length;
  }
  return chunks;
}

function readChunk(file: string, line: number, body: string): Chunk {
  const expected = new Map<number, RegExp>();
  body.split('\n').forEach((text, i) => {
    const marker = /### (.*?)\r?$/.exec(text);
    if (marker !== null) expected.set(line + i, new RegExp(marker[1]!));
  });
  const dialect: { -readonly [K in keyof Dialect]: boolean } = {};
  for (const word of header(body, 'option')) {
    const option = DIALECT_WORDS[word];
    if (option === undefined) throw new Error(`${file}:${line}: unknown option ${word}`);
    dialect[option] = true;
  }
  const limits = Object.fromEntries(header(body, 'limits').map((word) => splitLimit(word)));
  return { file, line, text: '\n'.repeat(line - 1) + body, dialect, limits, expected };
}

function header(body: string, key: string): string[] {
  const found = new RegExp(`^# ${key}: (.*)$`, 'm').exec(body);
  return found === null ? [] : found[1]!.trim().split(/\s+/);
}

function splitLimit(word: string): [string, number] {
  const [name = '', value = ''] = word.split('=');
  return [name, Number(value)];
}
