/**
 * What the views ask about recorded runs, answered alike by every source: the tapes of a machine, and a hub's store that was sent the same
 * lines. The ids of runs are the source's own; everything else that a source records is equal.
 */
import { beforeAll, describe, expect, it } from 'vitest';
import type { RunFilter, RunQueries, Window } from '../../src/page/run-queries.ts';
import type { Row } from '../../src/page/server/api.ts';
import { closingLine, entryBody, entryLine, hashLine, headerLine } from '../../src/tape/chain.ts';
import type { TapeRecord } from '../../src/tape/entry.ts';
import { header } from './tapes.ts';

export interface RecordedTape {
  readonly session: string;
  readonly lines: readonly Buffer[];
}

const ALL: Window = { offset: 0, limit: 500 };
const MINUTE = 60_000;
/** Yesterday at noon, so that no case depends on the time of day it runs at. */
const START = Math.floor(Date.now() / 86_400_000) * 86_400_000 - 43_200_000;

/** One decision in a line of its own, as most tapes have it. */
function whole(
  dispatch: number,
  event: string,
  payload: object,
  action: string,
  hook?: string,
  reason?: string,
) {
  return {
    type: 'decision',
    in: { dispatch, run: 1, event, payload },
    out: {
      action,
      ...(hook !== undefined && { hook, hooks: [{ hook, source: `${hook}.md`, result: action }] }),
      ...(reason !== undefined && { reason }),
    },
  } as unknown as TapeRecord;
}

/** A decision whose event stands in a line before it. */
function split(dispatch: number, event: string, payload: object, action: string, hook: string) {
  return [
    { type: 'dispatch', dispatch, run: 1, event, payload },
    { type: 'decision', in: { dispatch }, out: { action, hook } },
  ] as unknown as TapeRecord[];
}

function tape(session: string, from: number, records: readonly TapeRecord[], closed: boolean): RecordedTape {
  const started = new Date(START + from * MINUTE).toISOString();
  const lines = [Buffer.from(headerLine({ ...header(session), started }))];
  records.forEach((record, i) => {
    const body = entryBody(record, START + (from + i) * MINUTE);
    lines.push(Buffer.from(entryLine(i + 1, hashLine(lines.at(-1)!), body)));
  });
  if (closed) lines.push(Buffer.from(closingLine(lines.length, hashLine(lines.at(-1)!))));
  return { session, lines };
}

const call = (name: string, command: string) => ({ id: '1', name, args: { command } });
export const RECORDED: readonly RecordedTape[] = [
  tape(
    'first',
    0,
    [
      whole(1, 'turn.start', { prompt: 'tidy up' }, 'allow'),
      whole(2, 'tool.pre', call('run_command', 'ls'), 'allow'),
      whole(3, 'tool.pre', call('run_command', 'rm -rf /'), 'block', 'command_guard', 'dangerous'),
      whole(4, 'tool.pre', call('write_file', 'a'), 'modify', 'shorten'),
      whole(5, 'tool.post', call('run_command', 'ls'), 'allow'),
    ],
    true,
  ),
  tape(
    'second',
    20,
    [
      whole(1, 'turn.start', { prompt: 'deploy' }, 'allow'),
      ...split(2, 'tool.pre', call('run_command', 'deploy'), 'ask', 'release_guard'),
      whole(3, 'tool.pre', call('fetch_url', 'x'), 'block', 'command_guard', 'no'),
    ],
    false,
  ),
];

const FILTERS: readonly RunFilter[] = [
  {},
  { decision: 'block' },
  { decision: 'ask' },
  { event: 'tool.pre' },
  { event: 'PreToolUse', decision: 'allow' },
  { tool: 'run_*' },
  { tool: 'write_file' },
  { hook: 'command_*', decision: 'block' },
  { since: new Date(START + 10 * MINUTE).toISOString() },
  { until: new Date(START + 10 * MINUTE).toISOString() },
  { tool: 'absent' },
];

/** `open` gives a source of the recorded tapes. */
export function queryCases(
  name: string,
  open: (tapes: readonly RecordedTape[]) => Promise<RunQueries>,
): void {
  describe(`questions about runs, answered from ${name}`, () => {
    let queries: RunQueries;
    beforeAll(async () => {
      queries = await open(RECORDED);
    });

    it('a run has its counts, its first prompt, how it ended and when', async () => {
      const { runs, tapes, done } = await queries.runs({}, 0);
      expect([tapes, done]).toEqual([2, true]);
      const seen = runs.map((run) => {
        const {
          session,
          title,
          decisions,
          blocks,
          asks,
          rewrites,
          calls,
          entries,
          state,
          started,
          last,
          hits,
        } = run;
        return {
          session,
          title,
          decisions,
          blocks,
          asks,
          rewrites,
          calls,
          entries,
          state,
          started,
          last,
          hits,
        };
      });
      expect(seen).toEqual([
        {
          ...{ session: 'second', title: 'deploy', decisions: 3, blocks: 1, asks: 1, rewrites: 0, calls: 2 },
          ...{ entries: 4, started: new Date(START + 20 * MINUTE).toISOString(), last: START + 23 * MINUTE },
          ...{ state: expect.stringMatching(/^(?:open|cut)$/), hits: null },
        },
        {
          ...{ session: 'first', title: 'tidy up', decisions: 5, blocks: 1, asks: 0, rewrites: 1, calls: 3 },
          ...{ entries: 6, started: new Date(START).toISOString(), last: START + 4 * MINUTE },
          ...{ state: 'closed', hits: null },
        },
      ]);
    });

    it('one run is found by its id, and an id that is none gives null', async () => {
      const { runs } = await queries.runs({}, 0);
      for (const run of runs) expect(await queries.run(run.id)).toEqual(run);
      expect(await queries.run('absent')).toBeNull();
    });

    it.each(FILTERS)('decisions are the newest first, with their texts: %o', async (filter) => {
      const { runs } = await queries.runs({}, 0);
      const sessionOf = new Map(runs.map(({ id, session }) => [id, session]));
      const { rows, total, done } = await queries.decisions(filter, ALL);
      expect([rows.length, done]).toEqual([total, true]);
      const seen = rows.map(({ run, ...row }) => `${sessionOf.get(run)} ${lineOf(row)}`);
      expect(seen).toEqual(EXPECTED.filter(({ fits }) => fits(filter)).map(({ line }) => line));
      const part = await queries.decisions(filter, { offset: 1, limit: 2 });
      expect([part.total, part.rows]).toEqual([total, rows.slice(1, 3)]);
      const hits = (await queries.runs(filter, 0)).runs.map((run) => run.hits ?? run.decisions);
      expect(hits.reduce((sum, count) => sum + count, 0)).toBe(total);
    });

    it('the week counts decisions by day and what was stopped by hook, with the newest case', async () => {
      const { days, rules, newest } = await queries.week(0);
      const yesterday = days.at(-2)!;
      expect(yesterday).toMatchObject({ runs: 2, decisions: 8, block: 2, ask: 1, modify: 1 });
      expect(days.reduce((sum, { decisions }) => sum + decisions, 0)).toBe(8);
      expect(
        rules.map(({ rule, action, count, isPack, newest: { text, reason } }) => [
          rule,
          action,
          count,
          isPack,
          text,
          reason,
        ]),
      ).toEqual([
        ['command_guard', 'block', 2, false, 'x', 'no'],
        ['release_guard', 'ask', 1, false, 'deploy', null],
      ]);
      expect(newest.map(({ rule, text, title }) => [rule, text, title])).toContainEqual([
        'command_guard',
        'x',
        'deploy',
      ]);
    });

    it('the plots count decisions by day and who stopped, in the zone of the reader', async () => {
      const { plots } = await queries.runs({}, 0);
      const day = new Date(START).toISOString().slice(0, 10);
      expect(plots.days).toEqual([{ day, counts: { allow: 4, block: 2, ask: 1, modify: 1 } }]);
      expect(plots.rules).toEqual([
        { hook: 'command_guard', block: 2, ask: 0 },
        { hook: 'release_guard', block: 0, ask: 1 },
      ]);
      const far = await queries.runs({}, -780);
      expect(far.plots.days.map((each) => each.day)).toEqual([
        new Date(START + 86_400_000).toISOString().slice(0, 10),
      ]);
    });
  });
}

function lineOf({ seq, at, event, tool, action, hook, reason, text }: Omit<Row, 'run'>): string {
  return [seq, (at! - START) / MINUTE, event, tool, action, hook, reason, text].join(' | ');
}

interface Expected {
  readonly line: string;
  readonly fits: (filter: RunFilter) => boolean;
}

const row = (
  session: string,
  seq: number,
  minute: number,
  event: string,
  tool: string | null,
  action: string,
  hook: string | null,
  reason: string | null,
  text: string,
): Expected => ({
  line: `${session} ${[seq, minute, event, tool, action, hook, reason, text].join(' | ')}`,
  fits: (filter) =>
    (filter.decision === undefined || filter.decision === action) &&
    (filter.event === undefined || event === 'tool.pre') &&
    (filter.tool === undefined || tool?.startsWith(filter.tool.replace('*', '')) === true) &&
    (filter.hook === undefined || hook?.startsWith(filter.hook.replace('*', '')) === true) &&
    (filter.since === undefined || minute >= 10) &&
    (filter.until === undefined || minute <= 10),
});

const EXPECTED: readonly Expected[] = [
  row('second', 4, 23, 'tool.pre', 'fetch_url', 'block', 'command_guard', 'no', 'x'),
  row('second', 2, 21, 'tool.pre', 'run_command', 'ask', 'release_guard', null, 'deploy'),
  row('second', 1, 20, 'turn.start', null, 'allow', null, null, 'deploy'),
  row('first', 5, 4, 'tool.post', 'run_command', 'allow', null, null, 'ls'),
  row('first', 4, 3, 'tool.pre', 'write_file', 'modify', 'shorten', null, 'a'),
  row('first', 3, 2, 'tool.pre', 'run_command', 'block', 'command_guard', 'dangerous', 'rm -rf /'),
  row('first', 2, 1, 'tool.pre', 'run_command', 'allow', null, null, 'ls'),
  row('first', 1, 0, 'turn.start', null, 'allow', null, null, 'tidy up'),
];
