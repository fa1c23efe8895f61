/**
 * The tables of events against the programs: every event that an installed agent fires has its row, and no row is of an event that is
 * gone. `npm run test:agents` installs the agents and runs this.
 */
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { AGENTS as RECORDS } from '../../src/agents/all-agents.ts';

interface Recipe {
  readonly name: string;
  readonly adapter: string;
  readonly packages: Readonly<Record<string, string>>;
}

const load = (name: string) => import(new URL(name, import.meta.url).href);
const { AGENTS } = (await load('./agents.mjs')) as { AGENTS: readonly Recipe[] };
const { placeOf } = (await load('./cache.mjs')) as { placeOf: (recipe: Recipe) => string };
const { EVENT_NAMES, eventNames } = (await load('./event-names.mjs')) as {
  EVENT_NAMES: Readonly<Record<string, unknown>>;
  eventNames: (agent: string, modules: string) => readonly string[] | null;
};

describe('the events of an agent', () => {
  for (const recipe of AGENTS) {
    it(`${recipe.name}: the table has every event of the program, and no other`, ({ skip }) => {
      const found = eventNames(recipe.name, join(placeOf(recipe), 'node_modules'));
      if (found === null) return skip(`NOT COMPARED, not installed: npm run test:agents -- ${recipe.name}`);
      const { allEvents } = RECORDS.get(recipe.adapter)!.adapter;
      expect(allEvents.map(({ native }) => native).sort()).toEqual(found);
    });
  }

  it('is looked for in the program of every agent that is run', () => {
    expect(Object.keys(EVENT_NAMES).sort()).toEqual(AGENTS.map(({ name }) => name).sort());
  });
});

describe('the versions of a table', () => {
  it.each(AGENTS)('of $name are the one that is run', ({ adapter, packages }) => {
    expect(RECORDS.get(adapter)!.adapter.versions).toEqual([Object.values(packages)[0]]);
  });
});
