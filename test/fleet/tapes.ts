/** Tapes as lines, made by the tape's own code: what machines of the tests deliver. */
import { gzipSync } from 'node:zlib';
import { sessionName } from '../../src/fleet/index.ts';
import { type Batch, readBatch } from '../../src/hub/index.ts';
import { closingLine, entryBody, entryLine, hashLine, headerLine } from '../../src/tape/chain.ts';
import type { Header, TapeRecord } from '../../src/tape/entry.ts';

export const PLACE = 'ab'.repeat(16);

export function header(session: string): Header {
  return {
    tape: 2,
    session,
    engine: 'harness test',
    host: 'test',
    policy: { digest: 'd'.repeat(64), layers: [], hooks: [] } as unknown as Header['policy'],
    started: '2026-01-01T00:00:00.000Z',
  };
}

export function decision(
  dispatch: number,
  tool = 'run_command',
  action = 'allow',
  hook?: string,
): TapeRecord {
  return {
    type: 'decision',
    in: { dispatch, run: 1, event: 'tool.pre', payload: { name: tool, args: { command: 'ls' } } },
    out: { action, ...(hook !== undefined && { hook }) },
  } as TapeRecord;
}

/** Lines without their ends: the header, then one entry a record, closed or not. */
export function linesOf(session: string, records: readonly TapeRecord[], closed = true): Buffer[] {
  const lines = [Buffer.from(headerLine(header(session)))];
  records.forEach((record, i) => {
    lines.push(
      Buffer.from(entryLine(i + 1, hashLine(lines.at(-1)!), entryBody(record, 1_700_000_000_000 + i))),
    );
  });
  if (closed) lines.push(Buffer.from(closingLine(lines.length, hashLine(lines.at(-1)!))));
  return lines;
}

export function sampleLines(session: string, decisions: number, closed = true): Buffer[] {
  const records = Array.from({ length: decisions }, (_, i) =>
    decision(
      i + 1,
      i % 2 === 0 ? 'run_command' : 'write_file',
      i % 5 === 0 ? 'block' : 'allow',
      `hook_${i % 3}`,
    ),
  );
  return linesOf(session, records, closed);
}

export function rawOf(lines: readonly Buffer[]): Buffer {
  return Buffer.concat(lines.flatMap((line) => [line, Buffer.from('\n')]));
}

export function packed(lines: readonly Buffer[]): Buffer {
  return gzipSync(rawOf(lines));
}

export function batchOf(session: string, lines: readonly Buffer[], from: number): Batch {
  const batch = readBatch(packed(lines), from, sessionName(session), null);
  if ('error' in batch) throw new Error(batch.error);
  return batch;
}
