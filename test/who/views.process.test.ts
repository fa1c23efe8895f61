/** Whom an event is for, as each kind of hook sees it, and as a program elsewhere says it over HTTP. */
import { describe, expect, it } from 'vitest';
import type { Caller } from '../../src/engine/who.ts';
import { createHandler } from '../../src/frameworks/fetch/index.ts';
import { machineHost } from '../../src/machine/host.ts';
import type { PolicyOptions } from '../../src/policy/open-policy.ts';
import { hookFile } from '../support/temp-project.ts';
import { policyOf, saying, toolCall } from '../support/who.ts';

const ANN = { id: 'ann', tenant: 'acme', scopes: ['read'] };

const CLERK: Caller = { name: 'clerk', depth: 1, chain: ['clerk'], parent_session_id: 's' };

/** Refuses with what it reads. */
const TELLS = '#!/bin/sh\ncat >&2\nexit 2\n';

const VIEWS: readonly [string, Record<string, string>][] = [
  [
    'a script of settings.json',
    {
      'tells.sh': TELLS,
      '.harness/settings.json': '{"hooks": {"PreToolUse": [{"path": "tells.sh"}]}}',
    },
  ],
  [
    'a command of settings.json',
    {
      '.harness/settings.json':
        '{"hooks": {"PreToolUse": [{"matcher": "*", "hooks": [{"type": "command", "command": "cat >&2; exit 2"}]}]}}',
    },
  ],
  [
    'a command of agent.json',
    {
      'agent.json':
        '{"name": "a", "hooks": {"onToolCall": [{"action": "command", "command": "cat >&2; exit 1"}]}}',
    },
  ],
  [
    'a handler of harn.toml',
    {
      'harn.toml': '[[hooks]]\nevent = "PreToolUse"\nhandler = "policy::tells"\n',
      'policy.star':
        'def tells(event):\n    return {"deny": json.encode({key: event[key] for key in ["actor", "caller"] if key in event})}\n',
    },
  ],
];

describe('whom an event is for', () => {
  it.each(VIEWS)('is told to %s, from the host and not from the payload', async (_, files) => {
    const env = (name: string) => (name === 'HARNESS_ALLOW_COMMAND_HOOKS' ? '1' : machineHost.env(name));
    const policy = await policyOf(files, { trust: 'all', host: { ...machineHost, env } });
    const said = async (actor: typeof ANN | null, caller?: Caller) => {
      const forged = toolCall('x', { actor: { id: 'root' }, args: { actor: { id: 'root' } } });
      const { action, reason } = await policy.decide('tool.pre', forged, {
        actor,
        ...(caller && { caller }),
      });
      expect(action).toBe('block');
      return JSON.parse(/\{.*\}/s.exec(reason ?? '')?.[0] ?? 'null') as { actor?: unknown; caller?: unknown };
    };
    expect((await said(ANN)).actor).toEqual(ANN);
    expect(await said(ANN)).not.toHaveProperty('caller');
    expect(await said(null)).not.toHaveProperty('actor');
    expect((await said(ANN, CLERK)).caller).toEqual(CLERK);
  });
});

describe('the handler for other programs', () => {
  const FILES = {
    '.harness/hooks/h.md': hookFile(
      saying(
        'block(json.encode([actor["id"] if actor != None else None, state.incr("n"), payload.get("native")]))',
      ),
    ),
  };

  async function asking(options: PolicyOptions = {}) {
    const handler = await createHandler({ policy: await policyOf(FILES, options) });
    return async (more: object) => {
      const body = JSON.stringify({ event: 'tool.pre', payload: toolCall(), ...more });
      const response = await handler(new Request('http://x/v1/decide', { method: 'POST', body }));
      const said = (await response.json()) as { reason?: string; error?: string; stop: boolean };
      expect(said.stop).toBe(true);
      return said.error ?? said.reason;
    };
  }

  it('takes who is behind a question and which session it is of', async () => {
    const ask = await asking();
    expect(await ask({ actor: ANN, session: 'a' })).toBe('["ann",1,null]');
    expect(await ask({ actor: ANN, session: 'a' })).toBe('["ann",2,null]');
    expect(await ask({ actor: { id: 'bob' }, session: 'b' })).toBe('["bob",1,null]');
    expect(await ask({ session: 'a' })).toBe('[null,3,null]');
    expect(await ask({})).toBe('[null,1,null]');
  });

  it('keeps what guards of a session count beyond the sessions it holds', async () => {
    const ask = await asking();
    expect(await ask({ session: 'first' })).toBe('[null,1,null]');
    for (let at = 0; at < 1001; at++) await ask({ session: `s${at}` });
    expect(await ask({ session: 'first' })).toBe('[null,2,null]');
  });

  it.each([
    [{ actor: {} }, 'actor: id is missing'],
    [{ actor: 'ann' }, 'want an object with an id'],
    [{ actor: { id: 'ann', scopes: [7] } }, 'scopes'],
    [{ session: '' }, 'session: want a text'],
    [{ session: 7 }, 'session: want a text'],
    [{ session: 'x'.repeat(201) }, 'session: want a text'],
    [{ claim: 'token' }, 'the policy has no identify'],
    [{ payload: toolCall('x', { actor: ANN }) }, '[null,1,{"actor":'],
  ])('never takes %j for somebody', async (more, why) => {
    expect(await (await asking())(more)).toContain(why);
  });

  it('where the policy tells who it is from a claim, nobody else says it', async () => {
    const ask = await asking({
      identify: async (claim) => (claim === 'token-1' ? ANN : Promise.reject(new Error('no'))),
    });
    expect(await ask({ claim: 'token-1' })).toBe('["ann",1,null]');
    expect(await ask({ claim: 'other' })).toContain('no');
    expect(await ask({ actor: ANN })).toContain('by `claim` only');
    expect(await ask({ actor: ANN, claim: 'token-1' })).toContain('by `claim` only');
    expect(await ask({})).toBe('[null,2,null]');
  });
});
