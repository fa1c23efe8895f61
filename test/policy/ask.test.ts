/**
 * Ask: who may answer. A yes counts for questions of its own or a lower layer, the strictest of several tables speaks, and a
 * remembered yes holds only for those who asked.
 */
import { realpathSync, symlinkSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import type { JsonObject } from '../../src/base/json.ts';
import type { ApprovalRequest, Approvals } from '../../src/engine/approvals.ts';
import { machineHost } from '../../src/machine/host.ts';
import { ApprovalDesk } from '../../src/policy/approvals/desk.ts';
import { openPolicy } from '../../src/policy/open-policy.ts';
import type { Policy } from '../../src/policy/policy.ts';
import { call, play, tool, toolMessages } from '../support/agent.ts';
import { hookFile, tempProject } from '../support/temp-project.ts';
import { under } from '../support/whole-policy.ts';

type Files = Readonly<Record<string, string>>;

async function layered(layers: { managed?: Files; user?: Files; project?: Files }): Promise<Policy> {
  const { managed, user, project = {} } = layers;
  const dir = tempProject({
    ...under('managed', managed ?? {}),
    ...under('user', user ?? {}),
    ...under('work', { 'harness.md': '---\nmodel: x\n---\n', ...project }),
  });
  const at = (name: string, files: Files | undefined) => (files === undefined ? null : join(dir, name));
  const places = { managed: at('managed', managed), user: at('user', user) };
  return openPolicy(join(dir, 'work'), { places, host: machineHost });
}

const says = (answer: string, event = 'tool.pre') =>
  hookFile(`def handle(event, payload):\n    return ${answer}`, `event: ${event}\npriority: 10`);
const ASK = says('ask("sure?")');
const PERMIT = says('permit("yes")', 'permission.asked');
const table = (rules: string) => `---\npermissions:\n  rules: [${rules}]\n---\n`;

const CALL = { id: '1', name: 'send', args: { to: 'a' } };

async function answered(policy: Policy): Promise<'allow' | 'block' | 'open'> {
  const { action, mayRun } = await policy.permit(await policy.decide('tool.pre', CALL));
  expect(mayRun).toBe(action === 'allow');
  return action === 'ask' ? 'open' : (action as 'allow' | 'block');
}

/** What a session without a person makes of the same call. */
async function runs(policy: Policy, args: JsonObject = CALL.args): Promise<boolean> {
  let ran = false;
  await play({
    policy,
    completions: [{ tool_calls: [call('send', args)] }, { text: 'x' }],
    tools: [
      tool('send', () => {
        ran = true;
        return 'ok';
      }),
    ],
  });
  return ran;
}

const BY = { user: 'hooks/p.md', project: '.harness/hooks/p.md' };

describe('a permit', () => {
  it.each([
    ['user', 'project', 'allow'],
    ['user', 'user', 'allow'],
    ['project', 'project', 'allow'],
    ['project', 'user', 'open'],
  ] as const)('of layer %s to a question of layer %s: %s', async (permits, asks, expected) => {
    const files = (layer: 'user' | 'project') => ({
      ...(permits === layer && { [BY[layer]]: PERMIT }),
      ...(asks === layer && { [BY[layer].replace('p.md', 'a.md')]: ASK }),
    });
    const policy = await layered({ user: files('user'), project: files('project') });
    expect(await answered(policy)).toBe(expected);
    expect(await runs(policy)).toBe(expected === 'allow');
  });

  it('answers several questions only if it may answer each', async () => {
    const policy = await layered({
      user: { 'hooks/a.md': ASK },
      project: { '.harness/hooks/a.md': ASK, '.harness/hooks/p.md': PERMIT },
    });
    expect(await answered(policy)).toBe('open');
  });

  it('counts for a table of its own layer, and not for one above', async () => {
    const asks = table('{tools: [send], zone: ask, reason: really}');
    const own = await layered({ project: { 'harness.md': asks, '.harness/hooks/p.md': PERMIT } });
    expect(await answered(own)).toBe('allow');
    const above = await layered({ user: { 'harness.md': asks }, project: { '.harness/hooks/p.md': PERMIT } });
    expect(await answered(above)).toBe('open');
    expect(await runs(above)).toBe(false);
  });

  it('of a higher layer is undone by a block or an ask of any layer', async () => {
    const no = says('block("no")', 'permission.asked');
    const blocked = await layered({
      user: { 'hooks/p.md': PERMIT },
      project: { '.harness/hooks/a.md': ASK, '.harness/hooks/n.md': no },
    });
    expect(await answered(blocked)).toBe('block');
    const again = says('ask("a person, please")', 'permission.asked');
    const open = await layered({
      user: { 'hooks/p.md': PERMIT },
      project: { '.harness/hooks/a.md': ASK, '.harness/hooks/n.md': again },
    });
    expect(await answered(open)).toBe('open');
  });

  it('that only warns or watches is none', async () => {
    for (const mode of ['warn', 'shadow']) {
      const muted = PERMIT.replace('---\n', `---\nmode: ${mode}\n`);
      const policy = await layered({ project: { '.harness/hooks/a.md': ASK, '.harness/hooks/p.md': muted } });
      expect(await answered(policy)).toBe('open');
    }
  });

  it('never lifts a block', async () => {
    const policy = await layered({
      user: { 'hooks/p.md': PERMIT },
      project: { 'harness.md': table('{tools: [send], zone: never, reason: no}') },
    });
    expect(await answered(policy)).toBe('block');
    expect(await runs(policy)).toBe(false);
  });

  it('never lifts the floor, whatever layer it is of', async () => {
    const policy = await layered({ managed: { 'hooks/p.md': PERMIT } });
    const command = ['rm', '-rf', '/'].join(' ');
    const outcome = await policy.decide('tool.pre', { id: '1', name: 'shell', args: { command } });
    expect(outcome).toMatchObject({ action: 'block', hook: 'floor' });
    expect(await policy.permit(outcome)).toBe(outcome);
    expect(outcome.mayRun).toBe(false);
  });

  it('is not looked for where the question is not about a tool call: it stays one', async () => {
    const policy = await layered({
      project: { '.harness/hooks/a.md': says('ask("sure?")', 'turn.start'), '.harness/hooks/p.md': PERMIT },
    });
    const outcome = await policy.decide('turn.start', 'hello');
    expect(outcome).toMatchObject({ action: 'ask', mayRun: false });
    expect(await policy.permit(outcome)).toBe(outcome);
  });
});

describe('permit() of a program that has somebody to ask', () => {
  const person = (approved: boolean, requests: ApprovalRequest[] = []): Approvals => ({
    request: async (request) => {
      requests.push(request);
      return { approved, reason: approved ? 'go' : 'not today' };
    },
  });

  it.each([
    [true, { action: 'allow', mayRun: true, reason: 'go' }],
    [false, { action: 'block', mayRun: false, reason: 'not today' }],
  ] as const)('gives the final outcome after the person said %s', async (approved, expected) => {
    const policy = await layered({ project: { '.harness/hooks/a.md': ASK } });
    const outcome = await policy.decide('tool.pre', CALL);
    expect(outcome).toMatchObject({ action: 'ask', mayRun: false });
    const requests: ApprovalRequest[] = [];
    const final = await policy.permit(outcome, { approvals: person(approved, requests), approvalMs: 500 });
    expect(final).toMatchObject({ ...expected, event: 'tool.pre', hook: 'a', payload: CALL });
    expect(requests).toMatchObject([{ toolName: 'send', reason: 'sure?', windowMs: 500, callId: '1' }]);
  });

  it('asks the person only where the hooks of permission.asked leave the question open', async () => {
    const requests: ApprovalRequest[] = [];
    const approvals = person(false, requests);
    const hooks = { '.harness/hooks/a.md': ASK, '.harness/hooks/p.md': PERMIT };
    const policy = await layered({ project: hooks });
    const final = await policy.permit(await policy.decide('tool.pre', CALL), { approvals });
    expect([final.mayRun, requests]).toEqual([true, []]);
  });

  it('asks nobody about a call that was allowed or blocked', async () => {
    const requests: ApprovalRequest[] = [];
    const approvals = person(true, requests);
    for (const answer of ['allow()', 'block("no")']) {
      const policy = await layered({ project: { '.harness/hooks/a.md': says(answer) } });
      const outcome = await policy.decide('tool.pre', CALL);
      expect(await policy.permit(outcome, { approvals })).toBe(outcome);
    }
    expect(requests).toEqual([]);
  });
});

describe('several tables', () => {
  const zones = ['auto', 'ask', 'never'] as const;
  const becomes = { auto: 'allow', ask: 'ask', never: 'block' } as const;
  const pairs = zones.flatMap((outer) => zones.map((inner) => [outer, inner] as const));

  it.each(pairs)('the user says %s, the project %s: the stricter counts', async (user, project) => {
    const policy = await layered({
      user: { 'harness.md': table(`{tools: [send], zone: ${user}}`) },
      project: { 'harness.md': table(`{tools: [send], zone: ${project}}`) },
    });
    const stricter = zones[Math.max(zones.indexOf(user), zones.indexOf(project))]!;
    expect((await policy.decide('tool.pre', CALL)).action).toBe(becomes[stricter]);
  });
});

describe('a remembered yes', () => {
  const asksAbout = (word: string) =>
    says(`ask("about ${word}") if "${word}" in payload["args"]["to"] else allow()`);

  async function asked(remember: 'call' | 'tool', tos: readonly string[], policy: Policy) {
    const questions: ApprovalRequest[] = [];
    const approvals: Approvals = {
      request: async (request) => {
        questions.push(request);
        return { approved: true, remember };
      },
    };
    const played = await play({
      policy,
      approvals,
      completions: [...tos.map((to) => ({ tool_calls: [call('send', { to })] })), { text: 'x' }],
      tools: [tool('send', () => 'ok')],
    });
    expect(toolMessages(played).map(({ content }) => content)).toEqual(tos.map(() => 'ok'));
    return questions.map(({ hook }) => hook);
  }

  const both = () =>
    layered({
      user: { 'hooks/above.md': asksAbout('b') },
      project: { '.harness/hooks/below.md': asksAbout('a') },
    });

  it('for a tool holds as long as the same hooks ask', async () => {
    expect(await asked('tool', ['a', 'ax', 'b', 'ab', 'ba'], await both())).toEqual([
      'project/below',
      'user/above',
      expect.stringMatching(/user\/above.*|project\/below.*/),
    ]);
  });

  it('for a call does not hold for another call of the same hook', async () => {
    expect(await asked('call', ['a', 'a', 'ax'], await both())).toEqual(['project/below', 'project/below']);
  });
});

describe('a question to a person', () => {
  it('names the real folder that the call would run in, and is another question in another folder', async () => {
    const policy = await layered({ project: { '.harness/hooks/p.md': ASK } });
    const place = tempProject({ 'a/x': '', 'b/x': '' });
    symlinkSync(join(place, 'a'), join(place, 'link'));
    const asked: ApprovalRequest[] = [];
    const channel: Approvals = {
      request: async (request) => {
        asked.push(request);
        return { approved: true, remember: 'call' };
      },
    };
    const approvals = new ApprovalDesk({ channel, host: machineHost });
    for (const cwd of ['a', 'link', 'b'])
      await policy.permit(
        await policy.decide('tool.pre', { ...CALL, cwd: join(place, cwd), workspace: place }),
        { approvals },
      );
    expect(asked.map(({ cwd }) => cwd)).toEqual(
      [join(place, 'a'), join(place, 'b')].map((dir) => realpathSync(dir)),
    );
    expect(new Set(asked.map(({ digest }) => digest)).size).toBe(2);
  });
});
