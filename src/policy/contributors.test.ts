/**
 * The table of what decides for a folder: every row has its part in a policy that uses all of them.
 */
import { mkdirSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { hookFile, tempProject } from '../../test/support/temp-project.ts';
import { machineHost } from '../machine/host.ts';
import { CONTRIBUTORS, type Contributor, type Opening, type OpenRequest, opening } from './contributors.ts';
import { openPolicy } from './open-policy.ts';

const HARNESS = `---
strict: true
requires: soon
exit_policy: {mode: done_tool}
network: {allowed_domains: [a.example]}
environment: {pass: [CI]}
tape: {payloads: digest}
approvals: {webhook: "https://127.0.0.1:9/ask"}
sandbox: true
use: [git]
sources: {read_inbox: untrusted}
data: {tables: {teams: {url: "https://a.example/teams.json"}}}
permissions: {scopes: enforce, rules: [{tools: x, action: ask}]}
---
`;

const FILES = {
  'harness.md': HARNESS,
  'hooks/tools.md': hookFile(
    'def handle(event, payload):\n    return block("none") if policy.tools() else allow()',
    'event: tool.pre\nwhen: payload["args"]["x"] == 1',
  ),
  'data/ranks.json': '{"a": 1}',
};

const PROJECT = {
  '.harness/hooks/guard.md': hookFile('def handle(event, payload):\n    return block(data.teams["a"])'),
  '.harness/settings.json': '{"hooks": {"PreToolUse": [{"path": "guard.sh"}]}}',
  '.harness/tools/list.md': '---\n---\nLists.\n',
  'guard.sh': '#!/bin/sh\nexit 0\n',
};

/** The policy of a fleet, which blocks once it is stale. */
function fleetPlace() {
  const unpacked = 'f'.repeat(32);
  const current = { version: 1, unpacked, whenStale: 'block', maxAgeMs: 1 };
  const folder = tempProject({
    'fleet.json': '{}',
    'current.json': JSON.stringify(current),
    [`${unpacked}/harness.md`]: '',
  });
  return { marker: join(folder, 'fleet.json'), folder };
}

function requestFor(dir: string, user: string | null): OpenRequest {
  const env = (name: string) => (name === 'HARNESS_TRUST' ? undefined : machineHost.env(name));
  const host = { ...machineHost, env };
  const options = {};
  const places = { managed: null, user, fleet: { managed: null, user: fleetPlace() } };
  return {
    dir,
    host,
    switches: host,
    places,
    allowEmpty: false,
    startsNothing: true,
    options,
  };
}

/** A policy that uses every row, and one of a folder without any. */
function requests(): OpenRequest[] {
  const user = tempProject(FILES);
  mkdirSync(join(user, 'empty'));
  const none = requestFor(tempProject(), null);
  const alone = { ...none, places: { managed: null, user: null } };
  return [requestFor(tempProject(PROJECT), user), alone];
}

async function openedBy(rows: readonly Contributor[], request: OpenRequest): Promise<Opening> {
  let opened = opening(request);
  for (const { contribute } of rows) opened = { ...opened, ...(await contribute(opened)) };
  return opened;
}

/** Everything that can be told of it without running a hook. */
function described({ found, layers, settings, packs, guarded, hooks, problems, tools }: Opening): string {
  return JSON.stringify([
    found.length,
    layers.map(({ name, project }) => [name, project.files]),
    settings,
    packs.packs.length,
    guarded.paths,
    hooks.map((hook) => [
      hook.name,
      hook.event,
      hook.onError,
      hook.onWhenError,
      Object.keys(hook).sort(),
      hook.contents?.tools(),
    ]),
    problems,
    tools,
  ]);
}

describe('what decides for a folder', () => {
  it.each(CONTRIBUTORS.map(({ name }) => name))('hangs on the row %j of the table', async (name) => {
    const without = CONTRIBUTORS.filter((row) => row.name !== name);
    const differences = [];
    for (const request of requests()) {
      const whole = described(await openedBy(CONTRIBUTORS, request));
      differences.push(whole !== described(await openedBy(without, request)));
    }
    expect(differences).toContain(true);
  });

  it('is in the table under a name of its own', () => {
    expect(new Set(CONTRIBUTORS.map(({ name }) => name)).size).toBe(CONTRIBUTORS.length);
  });

  it('is what an open policy has', async () => {
    const [request] = requests();
    const { hooks, settings } = await openedBy(CONTRIBUTORS, request!);
    const policy = await openPolicy(request!.dir, {
      host: request!.host,
      places: request!.places,
      startsNothing: true,
    });
    expect(policy.settings).toEqual(settings);
    expect(policy.hooks.map(({ name }) => name).sort()).toEqual(hooks.map(({ name }) => name).sort());
  });
});
