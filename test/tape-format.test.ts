/**
 * The page that specifies the tape format, held against the program: its example is a tape, its own verifier agrees with
 * `verifyTape` about tapes in good order and damaged ones.
 */
import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { describe, expect, it } from 'vitest';
import type { DecisionRecord } from '../src/tape/entry.ts';
import { readTape } from '../src/tape/tape-reader.ts';
import { verifyTape } from '../src/tape/verify.ts';
import { blockedCall, failedCall, linesOf, writeTape } from './support/tape.ts';
import { tempProject } from './support/temp-project.ts';

const page = readFileSync(new URL('../docs/tape-format.md', import.meta.url), 'utf8');

function fenced(language: string): string {
  return page.split(`\`\`\`${language}\n`)[1]!.split('```')[0]!;
}

async function pageVerifier(): Promise<(file: string) => number | null> {
  const file = join(tempProject({ 'verify.mjs': fenced('js') }), 'verify.mjs');
  return ((await import(pathToFileURL(file).href)) as { firstBroken: (file: string) => number | null })
    .firstBroken;
}

describe('docs/tape-format.md', () => {
  it('shows a tape that is one', async () => {
    const file = join(tempProject({ 'example.jsonl': fenced('jsonl') }), 'example.jsonl');
    expect(verifyTape(file)).toMatchObject({ ok: true, entries: 4, session: 'a1' });
    expect((await pageVerifier())(file)).toBe(null);
    const [, second, third] = readTape(file).entries;
    const { in: fired, out } = second!.record as DecisionRecord;
    expect(Object.keys((fired as { payload: object }).payload)).toEqual(['id', 'name', 'args']);
    expect(out.hooks![0]!.source).toBe('.harness/hooks/command_guard.md');
    expect(third!.record).toMatchObject({ type: 'call', verdict: 'blocked' });
  });

  it('has a verifier that finds what the program finds', async () => {
    const firstBroken = await pageVerifier();
    const path = join(tempProject(), 'tape.jsonl');
    writeTape(path, [...blockedCall(1, 'echo é \ud83d\ude00'), ...failedCall(2)]);
    expect(firstBroken(path)).toBe(null);
    const lines = linesOf(path);
    const text = (made: readonly string[]) => made.map((line) => `${line}\n`).join('');
    for (let line = 0; line < lines.length; line++) {
      for (const made of [
        text(lines.toSpliced(line, 1)),
        text(lines.toSpliced(line, 0, lines[line]!)),
        text(lines.slice(0, line)),
        text(lines.with(line, lines[line]!.replace('"dispatch":', '"dispatch":7'))),
        text(lines).slice(0, -1 - line),
      ]) {
        writeFileSync(path, made);
        expect({ line, ok: firstBroken(path) === null }).toEqual({ line, ok: verifyTape(path).ok });
      }
    }
  });
});
