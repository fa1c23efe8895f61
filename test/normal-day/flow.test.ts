/**
 * A normal day with the pack flow on `enforce`: nothing is stopped that was not stopped before, and a person is asked at most one question
 * more a day.
 */
import { mkdtempSync, readdirSync, readFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { parse } from 'yaml';
import { ADAPTERS, loadAdapter } from '../../src/agents/load-adapter.ts';
import type { Policy } from '../../src/policy/policy.ts';
import { remove } from '../support/remove.ts';
import { DayJudge, initPolicy } from './judge.ts';
import { type Intent, nativeIntent, nativePrompt, PLACES, shapesOf } from './shapes.ts';

interface Day {
  readonly day: string;
  readonly prompt: string;
  readonly intents: readonly Intent[];
}

const FOLDER = new URL('./days/', import.meta.url);
const DAYS: readonly Day[] = readdirSync(FOLDER).map((name) =>
  parse(readFileSync(new URL(name, FOLDER), 'utf8')),
);
const MOST_MORE = 1;

let folder: string;
let policy: Policy;
const figures: string[] = [];

function machineOf(variables: Readonly<Record<string, string>>) {
  const told = Object.fromEntries(Object.keys(variables).map((name) => [name, PLACES.workspace]));
  return { env: { HOME: PLACES.home, PATH: '/usr/bin:/bin', ...told }, links: {} };
}

beforeAll(async () => {
  folder = mkdtempSync(join(tmpdir(), 'harness-day-flow-'));
  policy = await initPolicy(folder, machineOf({}), (text) => text.replace('flow: audit', 'flow: enforce'));
});

afterAll(() => {
  remove(folder);
  if (figures.length > 0) process.stdout.write(`${figures.join('\n')}\n`);
});

/** What the pack asked on the day of an agent. */
async function questions(agent: string, { prompt, intents }: Day): Promise<string[]> {
  const shapes = shapesOf(agent);
  const judge = new DayJudge((await loadAdapter(agent))!, policy, machineOf(shapes.variables));
  const said = nativePrompt(shapes, prompt);
  if (said !== null) await judge.judge(said.event, said.payload);
  const asked: string[] = [];
  for (const [number, intent] of intents.entries()) {
    const native = nativeIntent(shapes, intent, number);
    if (native === null) continue;
    const { action, by, reason } = await judge.judge(native.pre.event, native.pre.payload);
    if (by === 'pack:flow') asked.push(`${intent.say}: ${action}: ${reason}`);
    if (action !== 'block' && native.post !== null) await judge.judge(native.post.event, native.post.payload);
  }
  return asked;
}

describe.each(Object.keys(ADAPTERS))('with the pack flow on enforce, %s', (agent) => {
  it.each(DAYS)('is asked at most one question more on the $day day', async (day) => {
    const asked = await questions(agent, day);
    if (asked.length > 0) figures.push(`${agent} ${day.day} ${asked.length}: ${asked.join('; ')}`);
    expect(asked.length).toBeLessThanOrEqual(MOST_MORE);
  });
});

describe('the policy of init', () => {
  it('has the pack flow in audit, so that it asks nothing until a person switches it on', () => {
    const templates = new URL('../../src/cli/init/templates/harness.md', import.meta.url);
    expect(readFileSync(templates, 'utf8')).toMatch(/^ {2}flow: audit$/m);
    expect(policy.hooks.map(({ name }) => name)).toContain('pack:flow');
  });
});
