/** The queue of questions: one answer each, bound to the call, safe with many at once, and never a yes by accident. */
import { chmodSync, mkdtempSync, readdirSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { describe, expect, it, onTestFinished } from 'vitest';
import { askStats } from './history.ts';
import type { Asking, Question } from './question.ts';
import { ApprovalQueue, HOLD_MS, LONGEST_MS, MOST_OF_SESSION, OPEN_MS, SEEN_TO_RUN } from './queue.ts';

const HOUR = 60 * 60 * 1000;
const ASK = {
  hook: 'pushes',
  layer: 'project',
  rank: 3,
  reason: 'it pushes',
  source: 'hooks/pushes.md',
  line: 4,
};

function asking(more: Partial<Asking> = {}): Asking {
  const args = { command: 'git push' };
  return {
    host: 'codex',
    session: 's1',
    folder: '/p',
    tool: 'run_command',
    args,
    asks: [ASK],
    reason: 'it pushes',
    ...more,
  };
}

function queueOf() {
  const folder = mkdtempSync(join(tmpdir(), 'harness-queue-'));
  onTestFinished(() => rmSync(folder, { recursive: true, force: true }));
  const clock = { now: 1_000_000 };
  let count = 0;
  const host = { env: () => undefined, now: () => clock.now, uuid: () => `uuid-${process.pid}-${count++}` };
  const queue = new ApprovalQueue(join(folder, 'approvals'), host);
  return { queue, clock, files: join(folder, 'approvals', 'queue') };
}

function put(queue: ApprovalQueue, more: Partial<Asking> = {}): Question {
  const asked = queue.ask(asking(more));
  if (!('question' in asked)) throw new Error(JSON.stringify(asked));
  return asked.question;
}

const YES = { approved: true, by: 'terminal' };

describe('a question in the queue', () => {
  it('is one for the same call of the same session, however often it is asked', () => {
    const { queue } = queueOf();
    const { id } = put(queue);
    expect(put(queue).id).toBe(id);
    expect(put(queue, { session: 's2' }).id).not.toBe(id);
    expect(put(queue, { args: { command: 'git push -f' } }).id).not.toBe(id);
    expect(put(queue, { asks: [{ ...ASK, layer: 'user', rank: 2 }] }).id).not.toBe(id);
    expect(queue.list().map(({ state }) => state)).toEqual(['open', 'open', 'open', 'open']);
  });

  it('takes the first answer; the second is told so', () => {
    const { queue } = queueOf();
    const { id } = put(queue);
    expect(queue.answer(id, YES).receipt).toBe('taken');
    const second = queue.answer(id, { approved: false, by: 'page' });
    expect(second).toMatchObject({ receipt: 'answered already', answer: { approved: true, by: 'terminal' } });
  });

  it('[S26] a yes that comes later holds once, for the same call in the same folder', () => {
    const { queue } = queueOf();
    const { id } = put(queue);
    queue.answer(id, YES);
    expect(queue.ask(asking({ args: { command: 'git push -f' } }))).toHaveProperty('question');
    expect(queue.ask(asking({ folder: '/other' }))).toHaveProperty('question');
    expect(queue.ask(asking({ cwd: '/other' }))).toHaveProperty('question');
    expect(queue.ask(asking())).toMatchObject({ known: { approved: true } });
    expect(queue.ask(asking())).toHaveProperty('question');
  });

  it('a no that comes later holds once too, and is said with its reason', () => {
    const { queue } = queueOf();
    queue.answer(put(queue).id, { approved: false, by: 'terminal', reason: 'not today' });
    expect(queue.ask(asking())).toMatchObject({ known: { approved: false, reason: 'not today' } });
    expect(queue.ask(asking())).toHaveProperty('question');
  });

  it('a call that two processes hear of uses one yes', () => {
    const { queue } = queueOf();
    queue.answer(put(queue).id, YES);
    expect(queue.ask(asking({ call: 's1 call-1' }))).toHaveProperty('known');
    expect(queue.ask(asking({ call: 's1 call-1' }))).toHaveProperty('known');
    expect(queue.ask(asking({ call: 's1 call-2' }))).toHaveProperty('question');
  });

  it('its deadline is the end: an answer after it is too late, and a yes that is not used in time holds no more', () => {
    const { queue, clock } = queueOf();
    const { id } = put(queue);
    clock.now += OPEN_MS;
    expect(queue.answer(id, YES).receipt).toBe('too late');
    const later = put(queue);
    queue.answer(later.id, YES);
    clock.now += HOLD_MS;
    expect(queue.ask(asking())).toHaveProperty('question');
  });

  it('a clock that is set back makes nothing hold for longer', () => {
    const { queue, clock } = queueOf();
    const { id } = put(queue);
    clock.now -= HOUR;
    expect(queue.answer(id, YES).receipt).toBe('too late');
    clock.now += HOUR;
    queue.answer(id, YES);
    clock.now -= HOUR;
    expect(queue.ask(asking())).toHaveProperty('question');
  });

  it('for its session: any number of times, in that session only', () => {
    const { queue, clock } = queueOf();
    queue.answer(put(queue).id, { ...YES, scope: 'session' });
    clock.now += 5 * HOUR;
    for (let i = 0; i < 3; i++) expect(queue.ask(asking())).toHaveProperty('known');
    expect(queue.ask(asking({ session: 's2' }))).toHaveProperty('question');
    expect(queue.ask(asking({ args: { command: 'git push -f' } }))).toHaveProperty('question');
  });

  it('for its folder until a date: any session, until then, and never for longer than ninety days', () => {
    const { queue, clock } = queueOf();
    queue.answer(put(queue).id, { ...YES, scope: 'folder', until: clock.now + 2 * HOUR });
    expect(queue.ask(asking({ session: 's2' }))).toHaveProperty('known');
    expect(queue.ask(asking({ session: 's2', folder: '/q' }))).toHaveProperty('question');
    clock.now += 2 * HOUR;
    const again = put(queue, { session: 's3' });
    queue.answer(again.id, { ...YES, scope: 'folder', until: clock.now + 1000 * 24 * HOUR });
    clock.now += LONGEST_MS;
    expect(queue.ask(asking({ session: 's4' }))).toHaveProperty('question');
  });

  it('a remembered yes never counts for the built-in layer, nor for one above the user', () => {
    const { queue, clock } = queueOf();
    const until = clock.now + HOUR;
    for (const scope of ['session', 'folder'] as const) {
      for (const [layer, rank] of [
        ['built-in', 0],
        ['managed', 1],
      ] as const) {
        const asks = [{ ...ASK, layer, rank, source: scope }];
        queue.answer(put(queue, { asks }).id, { ...YES, scope, until });
        expect(queue.ask(asking({ asks })), `${scope} ${layer}`).toHaveProperty('question');
      }
    }
    const asks = [{ ...ASK, layer: 'built-in', rank: 0 }];
    queue.answer(put(queue, { asks }).id, YES);
    expect(queue.ask(asking({ asks }))).toHaveProperty('question');
  });

  it('what was given for longer can be taken back', () => {
    const { queue } = queueOf();
    const { id } = put(queue);
    queue.answer(id, { ...YES, scope: 'session' });
    expect(queue.withdraw(id)).toBe(true);
    expect(queue.ask(asking())).toHaveProperty('question');
  });

  it('is bound to its call: a file that was changed, or an answer that names another call, is none', () => {
    const { queue, files } = queueOf();
    const question = put(queue);
    expect(queue.answer(question.id, { ...YES, digest: 'f'.repeat(64) }).receipt).toBe('another call');
    const [name] = readdirSync(files);
    const other = { version: 1, ...question, args: { command: 'rm -rf /' } };
    writeFileSync(join(files, name!), JSON.stringify(other), { mode: 0o600 });
    expect(queue.find(question.id)).toBeNull();
    const swapped = name!.replace('.question', '.answer');
    writeFileSync(join(files, name!), JSON.stringify({ version: 1, ...question }));
    for (const text of ['', '{', '{"version":1,"approved":true}', 'true']) {
      writeFileSync(join(files, swapped), text);
      expect(queue.answerTo(question)).toBeNull();
    }
  });

  it('a folder that others can enter is not used', () => {
    const { queue, files } = queueOf();
    queue.answer(put(queue).id, YES);
    chmodSync(files, 0o755);
    expect(queue.list()).toEqual([]);
    chmodSync(files, 0o700);
    expect(queue.list()).toHaveLength(1);
  });

  it('waits until there is an answer, or nobody waits any more', async () => {
    const { queue } = queueOf();
    const question = put(queue);
    const over = new AbortController();
    const waiting = queue.wait(question, over.signal);
    queue.answer(question.id, YES);
    expect(await waiting).toMatchObject({ approved: true });
    const other = put(queue, { session: 's2', args: {} });
    const unanswered = queue.wait(other, over.signal);
    over.abort();
    expect(await unanswered).toBeNull();
  });

  it('that its call was seen to run is a record, and no yes to another try of it', async () => {
    const { queue } = queueOf();
    const question = put(queue);
    queue.answer(question.id, { approved: true, by: SEEN_TO_RUN });
    expect(await queue.wait(question, new AbortController().signal)).toBeNull();
    expect(queue.ask(asking())).toHaveProperty('question');
  });

  it('a session that asks without end is told so, and others still ask', () => {
    const { queue, clock } = queueOf();
    const ask = (i: number, session: string) =>
      queue.ask(asking({ session, args: { command: `git push ${i}` } }));
    for (let i = 0; i < MOST_OF_SESSION; i++) expect(ask(i, 's1')).toHaveProperty('question');
    clock.now += HOUR / 2;
    expect(ask(MOST_OF_SESSION, 's1')).toEqual({
      problem:
        '100 questions of this session wait for an answer already; the first of them is over in 30 min',
    });
    expect(ask(0, 's1')).toHaveProperty('question');
    expect(ask(0, 's2')).toHaveProperty('question');
    clock.now += HOUR / 2;
    expect(ask(MOST_OF_SESSION, 's1')).toHaveProperty('question');
  });

  it('questions that are over keep no place: a day of them does not fill it', () => {
    const { queue, clock, files } = queueOf();
    for (let i = 0; i < 130; i++) {
      expect(queue.ask(asking({ args: { command: `git push ${i}` } }))).toHaveProperty('question');
      clock.now += OPEN_MS / 30;
    }
    expect(readdirSync(files).length).toBeLessThan(110);
  });

  it('knows whether somebody looks', () => {
    const { queue } = queueOf();
    expect(queue.isWatched()).toBe(false);
    const release = queue.watch();
    expect(queue.isWatched()).toBe(true);
    release();
    expect(queue.isWatched()).toBe(false);
  });

  it('counts what each rule asked and was approved, and proposes those that nine in ten times are', () => {
    const { queue, clock } = queueOf();
    for (let i = 0; i < 10; i++) {
      const { id } = put(queue, { args: { command: `git push ${i}` } });
      if (i < 9) queue.answer(id, YES);
    }
    const asks = [{ ...ASK, hook: 'other' }];
    queue.answer(put(queue, { asks }).id, { approved: false, by: 'page' });
    expect(askStats(queue.folder)).toEqual([
      expect.objectContaining({
        rule: 'project/pushes',
        asked: 10,
        allowed: 9,
        unanswered: 1,
        proposed: true,
      }),
      expect.objectContaining({ rule: 'project/other', asked: 1, denied: 1, proposed: false }),
    ]);
    expect(askStats(queue.folder, clock.now + 1)).toEqual([]);
  });
});
