/**
 * A normal day: under the policy of `init` no agent is stopped in ordinary work, nothing is hidden from it or rewritten, and a
 * person is asked at most twice a day, about what they expect. The calls have the shapes that real agents were seen to send.
 */
import { mkdtempSync, readdirSync, readFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { parse } from 'yaml';
import { ADAPTERS, loadAdapter } from '../../src/agents/load-adapter.ts';
import type { Policy } from '../../src/policy/policy.ts';
import { remove } from '../support/remove.ts';
import { DayJudge, type DayMachine, initPolicy, type Judged } from './judge.ts';
import { type Intent, nativeIntent, nativePrompt, PLACES, shapesOf } from './shapes.ts';

interface Day {
  readonly day: string;
  readonly prompt: string;
  /** Questions that a person expects on this day, with the reason. */
  readonly asks: readonly { readonly intent: string; readonly reason: string }[];
  readonly intents: readonly Intent[];
}

/** What stops ordinary work today. Empty when the work on rules is done. */
interface KnownStop {
  readonly day: string;
  readonly intent: string;
  readonly at: 'prompt' | 'call' | 'result';
  readonly action: string;
  readonly by: string;
  readonly agents: readonly string[];
}

interface Stop extends Judged {
  readonly day: string;
  readonly intent: string;
  readonly at: KnownStop['at'];
  readonly agent: string;
}

interface Row {
  readonly agent: string;
  readonly day: string;
  readonly intents: number;
  readonly notOffered: number;
  readonly asked: readonly string[];
  readonly stops: readonly Stop[];
}

const HERE = new URL('./', import.meta.url);
const yamlIn = (name: string) => parse(readFileSync(new URL(name, HERE), 'utf8'));

const DAYS: readonly Day[] = readdirSync(new URL('days', HERE)).map((name) => yamlIn(`days/${name}`));
const PECULIAR: Readonly<Record<string, readonly Intent[]>> = yamlIn('peculiar.yaml');
const KNOWN: readonly KnownStop[] = yamlIn('known-stops.yaml') ?? [];
const AGENTS = Object.keys(ADAPTERS);
const MAIN_DAY = 'typescript';
const MOST_QUESTIONS = 2;

const LINKS = {
  [join(PLACES.workspace, 'packages/linked')]: join(PLACES.workspace, 'vendor/linked'),
};

let folder: string;
let policy: Policy;
const rows: Row[] = [];

function machineOf(variables: Readonly<Record<string, string>>): DayMachine {
  const told = Object.fromEntries(Object.keys(variables).map((name) => [name, PLACES.workspace]));
  return { env: { HOME: PLACES.home, PATH: '/usr/bin:/bin', ...told }, links: LINKS };
}

beforeAll(async () => {
  folder = mkdtempSync(join(tmpdir(), 'harness-day-'));
  policy = await initPolicy(folder, machineOf({}));
});

afterAll(() => {
  remove(folder);
  if (rows.length > 0) process.stdout.write(`${tableOf(rows)}\n${stopsIn(rows)}`);
});

/** The day of an agent; on its main day also what is peculiar to it. */
async function live(agent: string, { day, prompt, intents, asks }: Day): Promise<Row> {
  const shapes = shapesOf(agent);
  const adapter = (await loadAdapter(agent))!;
  const judge = new DayJudge(adapter, policy, machineOf(shapes.variables));
  const stops: Stop[] = [];
  const asked: string[] = [];
  const note = (intent: string, at: Stop['at'], judged: Judged) => {
    const expected = judged.action === 'ask' && asks.some((one) => one.intent === intent);
    if (judged.action === 'ask') asked.push(intent);
    // A question that no person expects is a stop.
    if (judged.action !== 'allow' && !expected) stops.push({ ...judged, day, intent, at, agent });
  };
  const said = nativePrompt(shapes, prompt);
  if (said !== null) note('prompt', 'prompt', await judge.judge(said.event, said.payload));
  let notOffered = 0;
  const all = day === MAIN_DAY ? [...intents, ...PECULIAR[agent]!] : intents;
  for (const [number, intent] of all.entries()) {
    const native = nativeIntent(shapes, intent, number);
    if (native === null) {
      notOffered += 1;
      continue;
    }
    const before = await judge.judge(native.pre.event, native.pre.payload);
    note(intent.say, 'call', before);
    const ran = before.action !== 'block' && before.action !== 'unreadable';
    if (ran && native.post !== null) {
      note(intent.say, 'result', await judge.judge(native.post.event, native.post.payload));
    }
  }
  return { agent, day, intents: all.length - notOffered, notOffered, asked, stops };
}

const keyOf = ({
  day,
  intent,
  at,
  action,
  by,
}: Omit<KnownStop, 'agents' | 'by'> & { readonly by: string | null }) =>
  `${day}: ${intent} (${at}, ${action} by ${by})`;

describe.each(AGENTS)('under the policy of init, %s', (agent) => {
  it.each(DAYS)('works through the $day day without a stop', async (day) => {
    const row = await live(agent, day);
    rows.push(row);
    const known = KNOWN.filter((one) => one.day === day.day && one.agents.includes(agent)).map(keyOf);
    const words = row.stops.map((stop) => `${keyOf(stop)}: ${stop.reason}`);
    const happened = row.stops.map(keyOf);
    expect(
      {
        new: words.filter((_, i) => !known.includes(happened[i]!)),
        gone: known.filter((key) => !happened.includes(key)),
      },
      'stops beside those in known-stops.yaml, and those in it that no longer happen',
    ).toEqual({ new: [], gone: [] });
    expect(row.asked.length).toBeLessThanOrEqual(MOST_QUESTIONS);
  });
});

describe('the days', () => {
  it('have as many intents as a working day: 80 on the main day, 40 on the others, 15 peculiar to each agent', () => {
    const sizes = DAYS.map(({ day, intents }) => [day, intents.length >= (day === MAIN_DAY ? 80 : 40)]);
    expect(sizes.filter(([, enough]) => !enough)).toEqual([]);
    expect(DAYS).toHaveLength(8);
    expect(AGENTS.filter((agent) => (PECULIAR[agent]?.length ?? 0) < 15)).toEqual([]);
  });

  it('expect at most two questions each, each with its reason', () => {
    expect(DAYS.filter(({ asks }) => asks.length > MOST_QUESTIONS).map(({ day }) => day)).toEqual([]);
    const unknown = DAYS.flatMap(({ intents, asks }) =>
      asks.filter(({ intent, reason }) => reason === '' || !intents.some(({ say }) => say === intent)),
    );
    expect(unknown).toEqual([]);
  });

  it('are spoken in shapes captured from the real agent, and in documented ones only for Cursor', () => {
    const documented = AGENTS.filter((agent) => shapesOf(agent).source !== 'captured');
    expect(documented).toEqual(['cursor']);
  });

  it('leave no placeholder unfilled in what an agent sends', () => {
    const left = AGENTS.flatMap((agent) =>
      [...DAYS.flatMap(({ intents }) => intents), ...PECULIAR[agent]!].flatMap((intent, number) => {
        const native = nativeIntent(shapesOf(agent), { ...intent, output: intent.output ?? '' }, number);
        const found =
          /\{(workspace|path|relative|command|content|old|new|url|query|todo|folder|glob|pattern|session|call|tool|server)\}/.exec(
            JSON.stringify(native),
          );
        return found === null ? [] : [`${agent}: ${intent.say}: ${found[0]}`];
      }),
    );
    expect(left).toEqual([]);
  });
});

function tableOf(all: readonly Row[]): string {
  const columns = ['agent', 'day', 'intents', 'not offered', 'blocked', 'changed', 'asked'];
  const lines = all.map(({ agent, day, intents, notOffered, stops, asked }) => {
    const count = (...actions: readonly string[]) =>
      stops.filter(({ action }) => actions.includes(action)).length;
    const [blocked, changed] = [count('block', 'unreadable'), count('modify')];
    return [agent, day, intents, notOffered, blocked, changed, asked.length].map(String);
  });
  const widths = columns.map((title, i) => Math.max(title.length, ...lines.map((line) => line[i]!.length)));
  return [columns, ...lines]
    .map((line) => line.map((cell, i) => cell.padEnd(widths[i]!)).join('  '))
    .join('\n');
}

/** What stopped agents, once for all that it stopped. */
function stopsIn(all: readonly Row[]): string {
  const found = all.flatMap(({ agent, stops }) =>
    stops.map((stop) => ({ agent, key: keyOf(stop), reason: stop.reason ?? '' })),
  );
  return [...new Set(found.map(({ key }) => key))]
    .map((key) => {
      const same = found.filter((one) => one.key === key);
      return `${key}: ${same.map(({ agent }) => agent).join(', ')}\n    ${same[0]!.reason}\n`;
    })
    .join('');
}
