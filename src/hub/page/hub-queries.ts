/**
 * What the views ask, answered from the store of a hub: counts come from its narrow rows, texts from the stored lines. What only a
 * machine has, such as hooks that failed and the text of every decision, is null or refused with where to look instead.
 */
import { hash } from 'node:crypto';
import { isLiteral } from '../../base/index.ts';
import { warningsOf } from '../../fleet/index.ts';
import type { Host } from '../../machine/index.ts';
import {
  type ApprovalsView,
  DAY_MS,
  type FleetMachines,
  type Guards,
  isNarrowed,
  PageError,
  QUARTER_MS,
  type Row,
  type Rows,
  type RunFilter,
  type RunQueries,
  type RunRow,
  type Runs,
  type StopCount,
  type Warning,
  WEEK_DAYS,
  type Week,
  type Window,
  wantedRowsOf,
  weekOf,
} from '../../page/index.ts';
import { type Database, dayOf, type Value } from '../database.ts';
import type { Machines } from '../machines.ts';
import { StoredLines } from './stored-lines.ts';

/** In the list; older ones are found by a search. */
const MOST_RUNS = 300;
const MOST_CASES = 40;
const MOST_DAYS = 60;
const MOST_RULES = 10;
/** A week is counted anew after so long: it reads every row of these days. */
const WEEK_FRESH_MS = 10_000;
/** A tape that somebody wrote to so recently is open. */
const OPEN_MS = 5 * 60 * 1000;

interface TapeRow {
  readonly id: number;
  readonly name: string;
  readonly owner: string;
  readonly folder: string;
  readonly session: string;
  readonly next_seq: number;
  readonly state: string;
  readonly problem: string | null;
  readonly received_at: number;
}

interface FactRow {
  readonly tape: number;
  readonly seq: number;
  readonly at: number | null;
  readonly event: string | null;
  readonly action: string;
  readonly hook: string | null;
  readonly tool: string | null;
}

interface Counted {
  readonly tape: number;
  readonly action: string;
  readonly calls: number;
  readonly count: number;
  readonly last: number | null;
}

/** A condition on rows of `decisions`, with its values. */
class Where {
  readonly values: Value[] = [];
  private readonly parts: string[] = ['1 = 1'];

  /** `$` in the text stands for the value. */
  and(text: string, ...values: readonly Value[]): this {
    let at = 0;
    this.parts.push(text.replace(/\$/g, () => `$${this.values.push(values[at++]!)}`));
    return this;
  }

  oneOf(column: string, values: readonly (string | number)[]): this {
    return values.length === 0
      ? this.and('1 = 0')
      : this.and(`${column} IN (${values.map(() => '$').join(', ')})`, ...values);
  }

  toString(): string {
    return this.parts.join(' AND ');
  }
}

export class HubQueries implements RunQueries {
  private readonly database: Database;
  private readonly machines: Machines;
  private readonly host: Pick<Host, 'now'>;
  private readonly lines: StoredLines;
  private counted: { readonly zone: number; readonly at: number; readonly week: Promise<Week> } | null = null;

  constructor(database: Database, machines: Machines, host: Pick<Host, 'now'>) {
    this.database = database;
    this.machines = machines;
    this.host = host;
    this.lines = new StoredLines(database);
  }

  async runs(filter: RunFilter, zone: number): Promise<Runs> {
    const narrowed = isNarrowed(filter);
    const where = await this.where(filter);
    const tapes = await this.database.all<TapeRow>(
      `SELECT t.id, m.name, t.owner, t.folder, t.session, t.next_seq, t.state, t.problem, t.received_at
       FROM tapes t JOIN machines m ON m.id = t.machine
       WHERE t.next_seq > 0 ${narrowed ? `AND t.id IN (SELECT d.tape FROM decisions d WHERE ${where})` : ''}
       ORDER BY t.received_at DESC, t.id DESC LIMIT ${MOST_RUNS}`,
      narrowed ? where.values : [],
    );
    const [{ count: all } = { count: 0 }] = await this.database.all<{ count: number }>(
      'SELECT count(*) AS count FROM tapes WHERE next_seq > 0',
    );
    const ids = tapes.map(({ id }) => Number(id));
    const counts = await this.countsOf(new Where().oneOf('d.tape', ids));
    const hits = narrowed ? await this.countsOf((await this.where(filter)).oneOf('d.tape', ids)) : null;
    const runs: RunRow[] = [];
    for (const tape of tapes)
      runs.push(
        await this.rowOf(tape, counts.get(Number(tape.id)) ?? [], hits?.get(Number(tape.id)) ?? null),
      );
    runs.sort((a, b) => (b.last ?? 0) - (a.last ?? 0));
    return { runs, tapes: Number(all), done: true, plots: await this.plots(filter, zone) };
  }

  async run(id: string): Promise<RunRow | null> {
    const tape = Number(id);
    if (!Number.isSafeInteger(tape)) return null;
    const [row] = await this.database.all<TapeRow>(
      `SELECT t.id, m.name, t.owner, t.folder, t.session, t.next_seq, t.state, t.problem, t.received_at
       FROM tapes t JOIN machines m ON m.id = t.machine WHERE t.id = $1 AND t.next_seq > 0`,
      [tape],
    );
    if (row === undefined) return null;
    return this.rowOf(row, (await this.countsOf(new Where().oneOf('d.tape', [tape]))).get(tape) ?? [], null);
  }

  async decisions(filter: RunFilter, { offset, limit }: Window): Promise<Rows> {
    const where = await this.where(filter);
    const [[total], facts] = await Promise.all([
      this.database.all<{ count: number }>(
        `SELECT count(*) AS count FROM decisions d WHERE ${where}`,
        where.values,
      ),
      this.database.all<FactRow>(
        `SELECT d.tape, d.seq, d.at, d.event, d.action, d.hook, d.tool FROM decisions d WHERE ${where}
         ORDER BY COALESCE(d.at, 0) DESC, d.tape DESC, d.seq DESC LIMIT ${Math.floor(limit)} OFFSET ${Math.floor(offset)}`,
        where.values,
      ),
    ]);
    return { rows: await this.rowsOf(facts), offset, total: Number(total!.count), done: true, capped: false };
  }

  /** Counted from the decisions of these days; a pack is one rule, since the hub's rows do not name the rules in it. */
  week(zone: number): Promise<Week> {
    const at = this.host.now();
    if (this.counted === null || this.counted.zone !== zone || at - this.counted.at > WEEK_FRESH_MS) {
      const week = this.countWeek(zone, at);
      this.counted = { zone, at, week };
      // A failure is the caller's, and the next one asks again.
      week.catch(() => {
        this.counted = null;
      });
    }
    return this.counted.week;
  }

  async guards(): Promise<Guards> {
    const { machines } = await this.fleet();
    const warnings = machines.flatMap(({ name, doubts }) =>
      doubts.map((doubt) => warningOf(`${name}: ${doubt}`)),
    );
    return {
      state: machines.length === 0 ? 'none' : warnings.length > 0 ? 'doubtful' : 'on',
      ...{ hooks: 0, rules: 0, strict: false },
      guarded: machines.map(({ name, seen, doubts }) => ({
        name,
        kind: 'machine',
        state: doubts.length > 0 ? 'doubtful' : 'on',
        where: `seen ${new Date(seen).toISOString().slice(0, 16).replace('T', ' ')}`,
      })),
      warnings,
    };
  }

  /** Questions are answered on the machines. */
  async waiting(): Promise<ApprovalsView | null> {
    return null;
  }

  async fleet(): Promise<FleetMachines> {
    const now = this.host.now();
    const machines = (await this.machines.list()).map((machine) => {
      const { id, name, labels, state, seen, tapes, entries, status, statusAt } = machine;
      return {
        ...{ id, name, labels, state, seen: Math.max(seen, statusAt ?? 0), tapes, entries },
        build: status?.build ?? null,
        version: status?.policy?.version ?? null,
        since: status?.policy?.since ?? null,
        backlog: status?.waiting.entries ?? null,
        unjudged: status?.unjudged ?? null,
        clockMs: status === null || statusAt === null ? null : status.time - statusAt,
        doubts: warningsOf(machine, now),
      };
    });
    return { machines, now };
  }

  private async countWeek(zone: number, now: number): Promise<Week> {
    const first = now - (WEEK_DAYS + 1) * DAY_MS;
    const recent = () => new Where().and('d.day >= $', dayOf(first) - 1).and('d.at >= $', first);
    const where = recent();
    const quarters = new Map<number, Map<string, number>>();
    const counts = await this.database.all<{ quarter: number; action: string; count: number }>(
      `SELECT d.at / ${QUARTER_MS} AS quarter, d.action, count(*) AS count FROM decisions d WHERE ${where}
       GROUP BY d.at / ${QUARTER_MS}, d.action`,
      where.values,
    );
    for (const { quarter, action, count } of counts)
      quarters.set(Number(quarter), (quarters.get(Number(quarter)) ?? new Map()).set(action, Number(count)));
    const began = await this.database.all<{ started: number }>(
      `SELECT MIN(d.at) AS started FROM decisions d WHERE ${where} GROUP BY d.tape`,
      where.values,
    );
    const stopped = recent().oneOf('d.action', ['block', 'ask']);
    const newest = await this.database.all<FactRow & { quarter: number; count: number }>(
      `SELECT * FROM (SELECT d.tape, d.seq, d.at, d.event, d.action, d.hook, d.tool, d.at / ${QUARTER_MS} AS quarter,
         count(*) OVER (PARTITION BY d.hook, CASE WHEN d.hook IS NULL THEN d.event END, d.action, d.at / ${QUARTER_MS}) AS count,
         row_number() OVER (PARTITION BY d.hook, CASE WHEN d.hook IS NULL THEN d.event END, d.action, d.at / ${QUARTER_MS}
                            ORDER BY d.at DESC, d.tape DESC, d.seq DESC) AS place
       FROM decisions d WHERE ${stopped}) AS ranked WHERE place = 1 ORDER BY at DESC LIMIT 2000`,
      stopped.values,
    );
    const rows = await this.rowsOf(newest, MOST_CASES);
    const runs = await Promise.all(
      [...new Set(newest.slice(0, MOST_CASES).map(({ tape }) => Number(tape)))].map(
        async (tape) => [tape, await this.lines.beginning(tape)] as const,
      ),
    );
    const byTape = new Map(runs);
    const parts = newest.map((fact, i) => {
      const { hook, event, action, quarter, count, tape } = fact;
      const rule = hook ?? event ?? 'unknown';
      const stop: StopCount = {
        ...{ rule, hook, action: action as 'block' | 'ask', quarter: Number(quarter), count: Number(count) },
        newest: rows[i]!,
      };
      const run = byTape.get(Number(tape));
      return {
        row: { started: '', title: run?.facts.title ?? null, agent: agentOf(run?.host ?? '') },
        pass: { quarters: NO_QUARTERS, stops: new Map([['', stop]]) },
      };
    });
    const none = { title: null, agent: '' };
    const whole = [
      { row: { ...none, started: '' }, pass: { quarters, stops: NO_STOPS } },
      ...began.map(({ started }) => ({
        row: { ...none, started: new Date(Number(started)).toISOString() },
        pass: { quarters: NO_QUARTERS, stops: NO_STOPS },
      })),
    ];
    return { ...weekOf([...whole, ...parts], zone, now), asked: [], done: true };
  }

  /** Throws a PageError for what the hub has no rows of. */
  private async where(filter: RunFilter): Promise<Where> {
    const { event, hook, tool, decision, failures, text, since, until, host } = wantedRowsOf(filter, false);
    const absent =
      text !== ''
        ? 'a text'
        : failures === true
          ? 'a hook that failed'
          : host !== undefined
            ? 'an agent'
            : null;
    if (absent !== null)
      throw new PageError(
        400,
        `the hub has no rows for ${absent}. Search the tapes: harness fleet find TEXT --since 7d`,
      );
    const where = new Where();
    if (since > 0) where.and('d.day >= $', dayOf(since) - 1).and('(d.at IS NULL OR d.at >= $)', since);
    if (until < Number.POSITIVE_INFINITY) where.and('(d.at IS NULL OR d.at <= $)', until);
    if (event !== undefined) where.and('d.event = $', event);
    if (decision !== undefined) where.and('d.action = $', decision);
    for (const [column, isWanted] of [
      ['hook', hook],
      ['tool', tool],
    ] as const) {
      const pattern = filter[column] ?? '';
      if (isWanted === undefined) continue;
      // Only a pattern needs to know which names there are, and that reads every row.
      if (isLiteral(pattern)) where.and(`d.${column} = $`, pattern);
      else where.oneOf(`d.${column}`, (await this.names(column, where)).filter(isWanted));
    }
    return where;
  }

  private async names(column: 'hook' | 'tool', where: Where): Promise<string[]> {
    const rows = await this.database.all<{ name: string }>(
      `SELECT DISTINCT d.${column} AS name FROM decisions d WHERE ${where} AND d.${column} IS NOT NULL`,
      where.values,
    );
    return rows.map(({ name }) => name);
  }

  private async countsOf(where: Where): Promise<Map<number, Counted[]>> {
    const rows = await this.database.all<Counted>(
      `SELECT d.tape, d.action, sum(CASE WHEN d.event = 'tool.pre' THEN 1 ELSE 0 END) AS calls, count(*) AS count,
         max(d.at) AS last FROM decisions d WHERE ${where} GROUP BY d.tape, d.action`,
      where.values,
    );
    const byTape = new Map<number, Counted[]>();
    for (const row of rows) byTape.set(Number(row.tape), [...(byTape.get(Number(row.tape)) ?? []), row]);
    return byTape;
  }

  private async rowOf(
    tape: TapeRow,
    counts: readonly Counted[],
    hits: readonly Counted[] | null,
  ): Promise<RunRow> {
    const id = Number(tape.id);
    const beginning = await this.lines.beginning(id);
    const sum = (of: readonly Counted[], name: 'count' | 'calls', action?: string) =>
      of.reduce(
        (all, each) => all + (action === undefined || each.action === action ? Number(each[name]) : 0),
        0,
      );
    const last = Math.max(0, ...counts.map((each) => Number(each.last ?? 0))) || null;
    const started = beginning?.started ?? '';
    const { title = null, model = null, person = null, folder = null } = beginning?.facts ?? {};
    const closed = await this.lines.isClosed(id, Number(tape.next_seq));
    const isFresh = this.host.now() - Number(tape.received_at) < OPEN_MS;
    return {
      id: String(id),
      session: beginning?.session ?? tape.session,
      host: beginning?.host ?? '',
      started,
      last,
      entries: Number(tape.next_seq) - 1,
      decisions: sum(counts, 'count'),
      blocks: sum(counts, 'count', 'block'),
      asks: sum(counts, 'count', 'ask'),
      rewrites: sum(counts, 'count', 'modify'),
      ...{ failures: null, failOpens: null },
      state: tape.state === 'quarantined' ? 'broken' : closed ? 'closed' : isFresh ? 'open' : 'cut',
      problem: tape.problem,
      agent: agentOf(beginning?.host ?? ''),
      ...{ title, model, person: person ?? (tape.owner || null), folder: folder ?? tape.folder },
      machine: tape.name,
      calls: sum(counts, 'calls'),
      ...{ tokens: null, costUsd: null },
      ms: last === null || started === '' ? null : Math.max(0, last - Date.parse(started)) || null,
      hits: hits === null ? null : sum(hits, 'count'),
      read: 1,
    };
  }

  private async rowsOf(facts: readonly FactRow[], most = facts.length): Promise<Row[]> {
    const wanted = facts.slice(0, most).map(({ tape, seq }) => ({ tape: Number(tape), seq: Number(seq) }));
    const found = await this.lines.rows(wanted);
    return facts.map((fact) => found.get(`${Number(fact.tape)} ${Number(fact.seq)}`) ?? bareRow(fact));
  }

  private async plots(filter: RunFilter, zone: number): Promise<Runs['plots']> {
    const day = `(d.at - ${Math.round(zone * 60_000)}) / ${DAY_MS}`;
    const timed = (await this.where(filter)).and('d.at >= $', this.host.now() - MOST_DAYS * DAY_MS);
    const counts = await this.database.all<{ day: number; action: string; count: number }>(
      `SELECT ${day} AS day, d.action, count(*) AS count FROM decisions d WHERE ${timed} GROUP BY ${day}, d.action
       ORDER BY ${day}`,
      timed.values,
    );
    const days = new Map<string, Record<string, number>>();
    for (const { day: at, action, count } of counts) {
      const date = new Date(Number(at) * DAY_MS).toISOString().slice(0, 10);
      days.set(date, { ...days.get(date), [action]: Number(count) });
    }
    const stopped = (await this.where(filter)).and('d.hook IS NOT NULL').oneOf('d.action', ['block', 'ask']);
    const rules = await this.database.all<{ hook: string; block: number; ask: number }>(
      `SELECT d.hook, sum(CASE WHEN d.action = 'block' THEN 1 ELSE 0 END) AS block,
         sum(CASE WHEN d.action = 'ask' THEN 1 ELSE 0 END) AS ask
       FROM decisions d WHERE ${stopped} GROUP BY d.hook ORDER BY count(*) DESC, d.hook LIMIT ${MOST_RULES}`,
      stopped.values,
    );
    return {
      days: [...days].map(([date, each]) => ({ day: date, counts: each })),
      rules: rules.map(({ hook, block, ask }) => ({ hook, block: Number(block), ask: Number(ask) })),
      times: [],
    };
  }
}

const NO_QUARTERS: ReadonlyMap<number, Map<string, number>> = new Map();
const NO_STOPS: ReadonlyMap<string, StopCount> = new Map();

function agentOf(host: string): string {
  return host.replace(/^import /, '');
}

/** Without the texts of its line. */
function bareRow({ tape, seq, at, event, action, hook, tool }: FactRow): Row {
  return {
    ...{
      run: String(tape),
      seq: Number(seq),
      at: at === null ? null : Number(at),
      event: event ?? '',
      note: false,
    },
    ...{ tool, action, hook, reason: null, text: '', ms: null, failed: false },
  };
}

function warningOf(text: string): Warning {
  return { id: hash('sha256', text, 'hex').slice(0, 16), text, command: null, href: '/machines' };
}
