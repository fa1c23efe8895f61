/** The recipes and scenarios themselves, without any agent: what can be wrong with them before one is installed. */
import { describe, expect, it } from 'vitest';
import { parseServerScript, type ServerCompletion } from '../../src/agent/model-server/index.ts';
import { AGENTS as RECORDS } from '../../src/agents/all-agents.ts';

interface Recipe {
  readonly name: string;
  readonly packages: Readonly<Record<string, string>>;
  readonly replies: Readonly<Record<string, unknown>>;
  readonly events: Readonly<Record<string, string>>;
  readonly adapter: string;
  readonly exitCodes?: Readonly<Record<number, 'runs' | 'refuses'>>;
}

interface Scenario {
  readonly name: string;
  readonly policy?: Readonly<Record<string, string>>;
  readonly story: (agent: Recipe) => readonly ServerCompletion[];
  readonly replies?: (replies: Recipe['replies'], agent: Recipe) => Readonly<Record<string, unknown>>;
}

const load = (name: string) => import(new URL(name, import.meta.url).href);
const { AGENTS } = (await load('./agents.mjs')) as { AGENTS: readonly Recipe[] };
const { POINTS, SCENARIOS, isOffered, whyNotOffered, wrongFacts } = (await load('./scenarios.mjs')) as {
  POINTS: Readonly<Record<string, readonly string[]>>;
  SCENARIOS: readonly Scenario[];
  isOffered: (scenario: Scenario, agent: Recipe) => boolean;
  whyNotOffered: (scenario: Scenario, agent: Recipe) => string | undefined;
  wrongFacts: (scenario: Scenario, agent: Recipe, facts: object) => readonly string[];
};

const PAIRS = AGENTS.flatMap((agent) =>
  SCENARIOS.filter((scenario) => isOffered(scenario, agent)).map((scenario) => ({ agent, scenario })),
).map(({ agent, scenario }) => [agent.name, scenario.name, agent, scenario] as const);

/** A run in which nothing at all happened. */
const NOTHING = {
  exit: 0,
  timedOut: false,
  requests: 0,
  unused: [0],
  withoutItem: 0,
  events: [],
  original: null,
  rewritten: null,
  decisions: [],
  printed: '',
  lastResult: '',
  seenByModel: [],
};

describe('tests of real agents', () => {
  it.each(AGENTS)('the packages of $name have exact versions', ({ packages }) => {
    for (const version of Object.values(packages)) expect(version).toMatch(/^\d+\.\d+\.\d+$/);
  });

  it.each(AGENTS)('what a policy cannot do in $name has a reason', (agent) => {
    const dashes = SCENARIOS.filter(
      (scenario) => scenario.policy !== undefined && !isOffered(scenario, agent),
    );
    for (const scenario of dashes)
      expect([scenario.name, whyNotOffered(scenario, agent)]).toEqual([scenario.name, expect.any(String)]);
  });

  it.each(AGENTS)(
    'an exit code of 2 stops a call in $name where its table says so',
    ({ adapter: name, exitCodes }) => {
      const { channel, events } = RECORDS.get(name)!.adapter;
      expect(exitCodes === undefined).toBe(channel === 'plugin');
      const { honours, exitTwo } = events.find(({ event }) => event === 'tool.pre')!;
      const stops = honours.block && exitTwo === undefined;
      if (exitCodes !== undefined) expect(exitCodes[2]).toBe(stops ? 'refuses' : 'runs');
    },
  );

  it('what every agent is asked for comes first, and what is left out for want of time is the rest', () => {
    const first = Object.values(POINTS).flat();
    expect(SCENARIOS.slice(0, first.length).map(({ name }) => name)).toEqual(first);
    expect(new Set(SCENARIOS.map(({ name }) => name)).size).toBe(SCENARIOS.length);
  });

  it.each(PAIRS)('%s, %s: the story is a script', (_agent, _scenario, agent, scenario) => {
    const text = JSON.stringify({ completions: scenario.story(agent) });
    expect(parseServerScript(text, 'story')).toMatchObject({ ok: true });
  });

  it.each(PAIRS)(
    '%s, %s: the hook answers events that are registered',
    (_agent, _scenario, agent, scenario) => {
      const events = Object.keys(scenario.replies?.(agent.replies, agent) ?? {});
      expect(Object.values(agent.events)).toEqual(expect.arrayContaining(events));
    },
  );

  it.each(PAIRS)('%s, %s: an agent that does nothing at all fails', (_agent, _scenario, agent, scenario) => {
    expect(wrongFacts(scenario, agent, NOTHING)).not.toEqual([]);
  });

  it.each(PAIRS)('%s, %s: an agent that does not end in time fails', (_agent, _scenario, agent, scenario) => {
    expect(wrongFacts(scenario, agent, { ...NOTHING, timedOut: true })).toContain('timedOut');
  });
});
