/**
 * Tapes that no writer of ours has written: whatever stands in them, readers say so or read on. Nothing but an error of the
 * catalogue comes out, and nothing hangs.
 */
import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { HarnessError } from '../../src/base/errors.ts';
import type { Json } from '../../src/base/json.ts';
import { machineHost } from '../../src/machine/host.ts';
import { prometheusText } from '../../src/tape/prometheus.ts';
import { replayTape } from '../../src/tape/replay.ts';
import { TapeStats } from '../../src/tape/stats.ts';
import { chapters, includes, isWanted, toolOf } from '../../src/tape/stories.ts';
import { readTape } from '../../src/tape/tape-reader.ts';
import { verifyTape } from '../../src/tape/verify.ts';
import { cpuTime } from '../support/cpu-time.ts';
import { decisions, hook } from '../support/plain-hook.ts';
import { taped } from '../support/taped.ts';
import { tempProject } from '../support/temp-project.ts';

/** More with `TAPE_FUZZ=10000 npx vitest run test/tape/hostile.process.test.ts`. */
const RUNS = Number(process.env.TAPE_FUZZ ?? 200);

/** A tape of version 2 with every kind of record on it. */
async function everything(): Promise<string[]> {
  const hooks = [
    hook({ name: 'rewrites', body: () => decisions.modify({ note: 'x' }) }),
    hook({ name: 'waits', priority: 1, body: async (_seen, { host }) => void host.uuid() }),
    hook({
      name: 'fails',
      priority: 2,
      onError: 'allow',
      body: () => {
        throw new Error('broken');
      },
    }),
    hook({ name: 'emits', event: 'turn.end', body: (_seen, call) => call.emit('custom.x', { a: 1 }) }),
    hook({ name: 'hears', event: 'custom.x', body: () => decisions.block('no') }),
  ];
  const { path, tape, engine } = taped(hooks);
  const messages = [{ role: 'user', content: 'one' }];
  await engine.decide('tool.pre', { id: 'c1', name: 'x', args: { z: 1, a: 2 } });
  await engine.decide('tool.post', { call_id: 'c1', name: 'x', content: 'y', is_error: false, args: {} });
  await engine.decide('completion.pre', { model: 'm', messages });
  await engine.decide('completion.pre', { model: 'm', messages: [...messages, ...messages] });
  await engine.decide('turn.end' as string, { messages });
  tape.call({ callId: 'c1', tool: 'x', verdict: 'ran', digest: '0' });
  tape.annotate({ a: 1 });
  tape.policyChanged({ from: 'a', to: 'b', accepted: true, policy: tape.header.policy });
  tape.note('message', { message: { role: 'user', content: 'one' } });
  tape.close();
  return readFileSync(path, 'utf8').split('\n').slice(0, -1);
}

function readAll(path: string): void {
  const stats = new TapeStats();
  const { header, entries } = readTape(path);
  stats.beginTape(header.session);
  const read = [...entries];
  for (const entry of read) stats.add(entry);
  prometheusText(stats);
  for (const chapter of chapters(read)) {
    if (chapter.kind === 'session') continue;
    toolOf(chapter.story);
    includes(chapter.story, 3);
    isWanted(chapter.story, { failures: true, hook: () => true, decision: 'block' });
  }
}

async function survives(path: string): Promise<void> {
  for (const read of [() => readAll(path), () => verifyTape(path), () => replayTape(path)]) {
    try {
      await read();
    } catch (thrown) {
      if (!(thrown instanceof HarnessError)) throw thrown;
    }
  }
}

/** The value with one part of it replaced, chosen by the numbers. */
function disturbed(value: Json, at: readonly number[], by: Json): Json {
  const [first, ...rest] = at;
  if (first === undefined || typeof value !== 'object' || value === null) return by;
  if (Array.isArray(value)) {
    if (value.length === 0) return by;
    return value.with(first % value.length, disturbed(value[first % value.length] as Json, rest, by));
  }
  const keys = Object.keys(value);
  if (keys.length === 0) return by;
  const key = keys[first % keys.length]!;
  const inner = disturbed((value as Record<string, Json>)[key]!, rest, by);
  return { ...value, [key]: inner } as Json;
}

describe('a tape that nobody of ours has written', () => {
  it('with anything in the place of anything is read, or refused with a reason', async () => {
    const lines = await everything();
    const path = join(tempProject(), 'tape.jsonl');
    const by = fc.oneof(
      fc.constantFrom<Json>(
        null,
        '',
        'x',
        0,
        -1,
        1e300,
        true,
        [],
        {},
        [[]],
        [null],
        { hook: 1 },
        { event: 'x' },
      ),
      fc.jsonValue({ maxDepth: 2 }) as fc.Arbitrary<Json>,
    );
    await fc.assert(
      fc.asyncProperty(
        fc.nat({ max: lines.length - 1 }),
        fc.array(fc.nat({ max: 20 }), { minLength: 1, maxLength: 6 }),
        by,
        async (line, at, value) => {
          const changed = disturbed(JSON.parse(lines[line]!) as Json, at, value);
          const made = lines.with(line, JSON.stringify(changed)).map((text) => `${text}\n`);
          writeFileSync(path, made.join(''));
          await survives(path);
        },
      ),
      { numRuns: RUNS },
    );
  }, 600_000);

  it('that an earlier program wrote as well', async () => {
    const file = fileURLToPath(new URL('fixtures/v2/features.jsonl', import.meta.url));
    const lines = readFileSync(file, 'utf8').split('\n').slice(0, -1);
    const path = join(tempProject(), 'tape.jsonl');
    const by = fc.constantFrom<Json>(null, 'x', -1, [], {}, [null], { hook: 1 });
    await fc.assert(
      fc.asyncProperty(
        fc.nat({ max: lines.length - 1 }),
        fc.array(fc.nat({ max: 20 }), { minLength: 1, maxLength: 5 }),
        by,
        async (line, at, value) => {
          const changed = disturbed(JSON.parse(lines[line]!) as Json, at, value);
          writeFileSync(
            path,
            lines
              .with(line, JSON.stringify(changed))
              .map((text) => `${text}\n`)
              .join(''),
          );
          await survives(path);
        },
      ),
      { numRuns: RUNS / 2 },
    );
  }, 600_000);

  it('with thirty thousand dispatches inside one another is read in time', async () => {
    const { path, tape } = taped([], { host: machineHost });
    tape.close();
    const [header] = readFileSync(path, 'utf8').split('\n');
    const deep = Array.from({ length: 30_000 }, (_, i) => {
      const fired = { dispatch: i + 1, event: 'custom.x', payload: {}, run: 1, ...(i > 0 && { parent: i }) };
      return JSON.stringify({ prev: '0'.repeat(64), record: { ...fired, type: 'dispatch' }, seq: i + 1 });
    });
    writeFileSync(path, [header, ...deep, ''].join('\n'));
    const began = cpuTime();
    await survives(path);
    expect(cpuTime() - began).toBeLessThan(15_000);
  });
});
