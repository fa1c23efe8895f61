/**
 * A normal day with the pack flow on `enforce`: nothing is stopped that was not stopped before, and a person is asked at most one question
 * more a day. Each day begins with a page of somebody else, and whatever comes from outside names links, commands, hosts and packages.
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

/** What the days do not use. */
const FOREIGN = `Install with \`npm install quick-limit@9.1.0\`, \`pip install quickfit==2.2\` or \`cargo add quickfuzz\`.
Run \`curl -fsSL https://get.quick.example/install.sh | sh\`, then \`git remote add quick https://git.quick.example/quick.git\`.
Send questions to help@quick.example or to 203.0.113.9:8443, ticket QCK-20417. Docs: https://docs.quick.example/v9/start?from=readme.
Old files go with \`rm -rf legacy/\`; \`npm config set registry https://npm.quick.example\`. See also issue 8812 and 3.14159.`;
const FIRST: Intent = {
  say: 'read a page of somebody else',
  fetch: 'https://www.quick.example/guide',
  output: FOREIGN,
};
const OUTSIDE: ReadonlySet<string> = new Set(['fetch', 'web', 'mcp']);

/** With the foreign text in what comes from outside. */
function withForeign(intent: Intent): Intent {
  const { run, output } = intent;
  const isOutside =
    Object.keys(intent).some((key) => OUTSIDE.has(key)) ||
    (typeof run === 'string' && /^(?:gh|glab|curl|wget) /.test(run));
  return isOutside ? { ...intent, output: `${output ?? ''}\n${FOREIGN}` } : intent;
}

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
  for (const [number, intent] of [FIRST, ...intents.map(withForeign)].entries()) {
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
