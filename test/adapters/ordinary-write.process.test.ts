/**
 * An ordinary working day under the policy that `harness init` writes: each agent writes, edits and patches files of its
 * workspace, with the tools and the form of path that it was seen to use. The launcher is the built one, started in another
 * folder, so that what it knows of the workspace comes from the payload and from the agent's own variable.
 */
import { execFileSync } from 'node:child_process';
import { mkdirSync, mkdtempSync, readFileSync, realpathSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, relative } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { ADAPTERS } from '../../src/agents/load-adapter.ts';
import type { JsonObject } from '../../src/base/json.ts';
import { harness } from '../cli/harness.ts';
import { remove } from '../support/remove.ts';
import { AGENTS, type Agent, launchCall, type Place, type Tool } from './native-calls.ts';

const ROWS = Object.entries(AGENTS).flatMap(([name, agent]) =>
  Object.entries(agent.writes).map(([title, write]) => ({ name, agent, title, write })),
);
const FIRST = Object.entries(AGENTS).map(([name, agent]) => ({
  name,
  agent,
  write: Object.values(agent.writes)[0]!,
}));

let top: string;
/** A git checkout, a worktree of it, a link to it, a project that is no checkout, and folders that are none of these. */
const at = (path: string) => join(top, path);

beforeAll(async () => {
  top = realpathSync(mkdtempSync(join(tmpdir(), 'harness-ordinary-')));
  for (const folder of ['home', 'work/src', 'work/docs', 'plain/src', 'other', 'elsewhere'])
    mkdirSync(at(folder), { recursive: true });
  for (const folder of ['work', 'plain']) {
    const made = await harness(['init', at(folder)], { env: { HOME: at('home') } });
    expect(made).toMatchObject({ code: 0 });
    // Everything here stands in a temporary folder of the system, where agents may write: that is switched off as the hook says.
    const guard = join(at(folder), '.harness/hooks/path_guard.md');
    const text = readFileSync(guard, 'utf8');
    expect(text).toMatch(/^ {2}TEMPORARY = \[.+\]$/m);
    writeFileSync(guard, text.replace(/^ {2}TEMPORARY = .*$/m, '  TEMPORARY = []'));
  }
  writeFileSync(at('work/src/app.ts'), 'one\n');
  const git = (...args: readonly string[]) =>
    execFileSync('git', ['-C', at('work'), '-c', 'user.name=a', '-c', 'user.email=a@b.example', ...args], {
      env: { PATH: process.env.PATH ?? '', HOME: at('home') },
    });
  git('init', '-q');
  git('add', '-A');
  git('commit', '-qm', 'all');
  git('worktree', 'add', '-q', at('tree'));
  symlinkSync('work', at('link'));
  symlinkSync(at('elsewhere'), at('work/out'));
}, 120_000);

afterAll(() => remove(top));

interface Decided {
  readonly action: unknown;
  readonly hook: unknown;
  readonly silent: boolean;
}

let sessions = 0;

/** What the launcher decides about a call: as its tape has it, since one agent listens to no answer. */
async function decided(name: string, place: Place, tool: Tool, session = `s${sessions++}`): Promise<Decided> {
  const answer = await launchCall(name, place, tool, {
    session,
    home: at('home'),
    startedIn: at('elsewhere'),
  });
  expect(answer.exitCode).toBe(0);
  const records = readFileSync(join(place.policy, `.harness/runs/${session}.jsonl`), 'utf8')
    .trimEnd()
    .split('\n')
    .map((line) => (JSON.parse(line) as { record?: JsonObject }).record)
    .flatMap((record) => (record?.type === 'decision' ? [record.out as JsonObject] : []));
  const { action, hook } = records.find((out) => out.action !== 'allow') ?? records.at(-1)!;
  return { action, hook, silent: answer.stdout === '' };
}

const named = ({ absolute }: Agent, { cwd }: Place, path: string) => (absolute ? path : relative(cwd, path));

const ALLOWED = { action: 'allow', silent: true };
const BLOCKED = { action: 'block', hook: 'path_guard' };

const HERE = (): Place => ({ policy: at('work'), cwd: at('work'), project: at('work') });

describe('the policy of init, in every agent', () => {
  it('is tried in each of the agents that there are', () => {
    expect(Object.keys(AGENTS).sort()).toEqual(Object.keys(ADAPTERS).sort());
  });

  it.each(ROWS)('$name, $title: a file of the workspace may be written', async ({ name, agent, write }) => {
    const place = HERE();
    const path = named(agent, place, at('work/src/app.ts'));
    expect(await decided(name, place, write(path))).toMatchObject(ALLOWED);
  });

  it.each(ROWS)(
    '$name, $title: a file outside of the workspace may not be written',
    async ({ name, agent, write }) => {
      const place = HERE();
      const path = named(agent, place, at('elsewhere/app.ts'));
      expect(await decided(name, place, write(path))).toMatchObject(BLOCKED);
    },
  );

  it.each(FIRST)(
    '$name: a link in the workspace that leads out of it may not be written through',
    async ({ name, agent, write }) => {
      const place = HERE();
      const path = named(agent, place, at('work/out/app.ts'));
      expect(await decided(name, place, write(path))).toMatchObject(BLOCKED);
    },
  );

  it.each(FIRST)(
    '$name: with a subfolder as its folder, a file beside that subfolder may be written',
    async ({ name, agent, write }) => {
      const place = { ...HERE(), cwd: at('work/src') };
      const inside = named(agent, place, at('work/docs/a.md'));
      expect(await decided(name, place, write(inside))).toMatchObject(ALLOWED);
      const outside = named(agent, place, at('other/a.md'));
      expect(await decided(name, place, write(outside))).toMatchObject(BLOCKED);
    },
  );

  it.each(FIRST)('$name: in a worktree, its files may be written', async ({ name, agent, write }) => {
    const place = { policy: at('tree'), cwd: at('tree'), project: at('tree') };
    const inside = named(agent, place, at('tree/src/app.ts'));
    expect(await decided(name, place, write(inside))).toMatchObject(ALLOWED);
    const outside = named(agent, place, at('work/src/app.ts'));
    expect(await decided(name, place, write(outside))).toMatchObject(BLOCKED);
  });

  it.each(FIRST)(
    '$name: in a workspace that a link leads to, files may be written by either name',
    async ({ name, agent, write }) => {
      const place = { policy: at('link'), cwd: at('link'), project: at('link') };
      for (const path of ['link/src/app.ts', 'work/src/app.ts'])
        expect(await decided(name, place, write(named(agent, place, at(path))))).toMatchObject(ALLOWED);
      const outside = named(agent, place, at('other/app.ts'));
      expect(await decided(name, place, write(outside))).toMatchObject(BLOCKED);
    },
  );

  it.each(FIRST.filter(({ agent }) => agent.variable !== undefined || agent.lists))(
    '$name: the project folder is the one it tells, also where git knows none',
    async ({ name, agent, write }) => {
      const place = { policy: at('plain'), cwd: at('plain/src'), project: at('plain') };
      const inside = named(agent, place, at('plain/a.md'));
      expect(await decided(name, place, write(inside))).toMatchObject(ALLOWED);
      const outside = named(agent, place, at('other/a.md'));
      expect(await decided(name, place, write(outside))).toMatchObject(BLOCKED);
    },
  );

  it.each(FIRST.filter(({ agent }) => agent.variable === undefined && !agent.lists))(
    '$name: where neither the agent nor git names a project, it is the folder that the session began in',
    async ({ name, agent, write }) => {
      const began = { policy: at('plain'), cwd: at('plain'), project: at('plain') };
      const session = `s${sessions++}`;
      const first = named(agent, began, at('plain/a.md'));
      expect(await decided(name, began, write(first), session)).toMatchObject(ALLOWED);
      const later = { ...began, cwd: at('plain/src') };
      const beside = named(agent, later, at('plain/b.md'));
      expect(await decided(name, later, write(beside), session)).toMatchObject(ALLOWED);
      const gone = { ...began, cwd: at('elsewhere') };
      const outside = named(agent, gone, at('elsewhere/a.md'));
      expect(await decided(name, gone, write(outside), session)).toMatchObject(BLOCKED);
    },
  );

  it.each(FIRST.filter(({ agent }) => agent.lists))(
    '$name: a file of a further folder that it lists may be written',
    async ({ name, agent, write }) => {
      const place = { ...HERE(), further: [at('other')] };
      const path = named(agent, place, at('other/a.md'));
      expect(await decided(name, place, write(path))).toMatchObject(ALLOWED);
      expect(await decided(name, HERE(), write(path))).toMatchObject(BLOCKED);
    },
  );
});
