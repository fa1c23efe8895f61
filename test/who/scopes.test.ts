/**
 * Scopes: what counts is what the person, the agents above and the task all have. Enforced without a hook.
 */
import { describe, expect, it } from 'vitest';
import { loadAgentProject, type SessionOptions } from '../../src/exports/agent.ts';
import { call, hook, play, tool } from '../support/agent.ts';
import { hookFile } from '../support/temp-project.ts';
import { policyOf, saying, toolCall } from '../support/who.ts';

const ENFORCED = {
  'harness.md': '---\npermissions: {scopes: enforce}\n---\n',
  '.harness/hooks/ok.md': hookFile(saying('allow()')),
};

const pay = tool('pay', () => 'paid', { scopes: ['pay', 'read'] });
const look = tool('look', () => 'seen', { scopes: ['read'] });
const free = tool('free', () => 'free');
const three = { tool_calls: [call('pay'), call('look'), call('free')] };

async function verdicts(
  completions: Parameters<typeof play>[0]['completions'],
  more: Partial<SessionOptions> = {},
) {
  const policy = await policyOf(ENFORCED);
  const said: Record<string, string> = {};
  await play({
    policy,
    tools: [pay, look, free],
    completions,
    ...more,
    onEvent: function see(event): void {
      if (event.type === 'agent') see(event.event);
      if (event.type === 'tool.end' && event.name !== 'delegate') said[event.name] = event.verdict;
    },
  });
  return said;
}

const ann = (scopes?: readonly string[]) => ({
  actor: { id: 'ann', ...(scopes !== undefined && { scopes }) },
});
const delegated = (args: object, agent: object = {}) => ({
  completions: [
    { tool_calls: [call('delegate', { agent: 'a', prompt: 'do', ...args } as never)] },
    three,
    { text: 'a' },
    { text: 'done' },
  ],
  agents: [{ name: 'a', description: '', system: 'x', ...agent }],
});

describe('permissions: {scopes: enforce}', () => {
  const DONE = { text: 'done' };

  it.each<[string, Partial<SessionOptions>, Record<string, string>]>([
    ['all of them', ann(['read', 'pay', 'more']), { pay: 'ran', look: 'ran', free: 'ran' }],
    ['one of them', ann(['read']), { pay: 'refused', look: 'ran', free: 'ran' }],
    ['an empty list', ann([]), { pay: 'refused', look: 'refused', free: 'ran' }],
    ['no list', ann(), { pay: 'refused', look: 'refused', free: 'ran' }],
    ['no person', {}, { pay: 'refused', look: 'refused', free: 'ran' }],
  ])('lets a person with %s call what that allows', async (_, who, wanted) => {
    expect(await verdicts([three, DONE], who)).toEqual(wanted);
  });

  it.each<[string, string[], object, object, Record<string, string>]>([
    ['what the task says', ['read', 'pay'], { scopes: ['read'] }, {}, { pay: 'refused', look: 'ran' }],
    ['what its definition says', ['read', 'pay'], {}, { scopes: ['read'] }, { pay: 'refused', look: 'ran' }],
    ['both', ['read', 'pay'], { scopes: ['read'] }, { scopes: ['pay'] }, { pay: 'refused', look: 'refused' }],
    [
      'never more than the person has',
      ['read'],
      { scopes: ['read', 'pay', 'admin'] },
      { scopes: ['read', 'pay'] },
      { pay: 'refused', look: 'ran' },
    ],
    ['nothing', ['read', 'pay'], {}, {}, { pay: 'ran', look: 'ran' }],
  ])('narrows a sub-agent by %s', async (_, person, args, agent, wanted) => {
    const { completions, agents } = delegated(args, agent);
    expect(await verdicts(completions, { ...ann(person), agents })).toMatchObject(wanted);
  });

  it('a delegation with a scope that is no text is refused', async () => {
    const { completions, agents } = delegated({ scopes: ['read', 7] });
    expect(await verdicts(completions, { ...ann(['read', 'pay']), agents })).toEqual({
      pay: 'ran',
      look: 'ran',
      free: 'ran',
    });
    const { agents: again } = delegated({});
    const played = await play({
      policy: await policyOf(ENFORCED),
      ...ann(['read']),
      tools: [look],
      agents: again,
      hooks: [
        hook({
          event: 'delegation.pre',
          body: () => ({ action: 'modify', payload: { scopes: 'all' } }) as never,
        }),
      ],
      completions: [{ tool_calls: [call('delegate', { agent: 'a', prompt: 'x' })] }, { text: 'done' }],
    });
    expect(played.result.messages.find(({ role }) => role === 'tool')?.content).toMatch(/scopes/);
  });

  it('judges the tool that a hook made of the call', async () => {
    const policy = await policyOf({
      ...ENFORCED,
      '.harness/hooks/turns.md': hookFile(
        saying('modify({"name": "pay"}) if payload["name"] == "free" else allow()'),
      ),
    });
    const ends: string[] = [];
    await play({
      policy,
      ...ann(['read']),
      tools: [pay, free],
      completions: [{ tool_calls: [call('free')] }, { text: 'done' }],
      onEvent: (event) => void (event.type === 'tool.end' && ends.push(`${event.name} ${event.verdict}`)),
    });
    expect(ends).toEqual(['pay refused']);
  });

  it('holds for a host that only decides, and says who lacks what', async () => {
    const policy = await policyOf(ENFORCED);
    const asked = toolCall('x', { scopes: ['read', 'pay'] });
    expect(await policy.decide('tool.pre', asked, ann(['read', 'pay']))).toMatchObject({ action: 'allow' });
    expect(await policy.decide('tool.pre', asked, ann(['read']))).toMatchObject({
      action: 'block',
      hook: 'scopes',
      reason: expect.stringContaining('needs pay, and ann may not'),
    });
    expect(
      await policy.decide('tool.pre', toolCall('x', { scopes: ['read', 1] }), ann(['read'])),
    ).toMatchObject({ action: 'block' });
  });

  it.each([
    '{ scope: enforce }',
    '{ defalt: never }',
    '{ rules: [{ tools: x, arg: { path: "/tmp/*" }, zone: auto }] }',
    '{ policies: [{ tools: x, deny_pattern: [rm] }] }',
  ])('a table with a field that is misspelt is none, and lets nothing run by itself: %s', async (table) => {
    const policy = await policyOf({
      'harness.md': `---\npermissions: ${table}\n---\n`,
      '.harness/hooks/ok.md': hookFile(saying('allow()')),
    });
    expect(policy.problems).toMatchObject([
      { severity: 'error', message: expect.stringContaining('did you mean') },
    ]);
    expect(await policy.decide('tool.pre', toolCall(), ann(['read']))).toMatchObject({ action: 'block' });
  });

  it('is read from the front matter of tools and agents', async () => {
    const { dir } = await policyOf({
      ...ENFORCED,
      '.harness/tools/pay.md':
        '---\nscopes: [pay]\nscript: |\n  def run(args):\n      return 1\n---\nPays.\n',
      '.harness/agents/clerk.md': '---\nscopes: [read]\n---\nYou look things up.\n',
    });
    const { tools, agents, problems } = await loadAgentProject(dir);
    expect(problems.filter(({ severity }) => severity === 'error')).toEqual([]);
    expect(tools[0]?.scopes).toEqual(['pay']);
    expect(agents[0]?.scopes).toEqual(['read']);
  });
});
