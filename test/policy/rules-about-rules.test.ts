import { rmSync, writeFileSync } from 'node:fs';
import { cp } from 'node:fs/promises';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { checkPolicy } from '../../src/policy/check-policy.ts';
import { openPolicy } from '../../src/policy/open-policy.ts';
import { openTape } from '../../src/tape/open-tape.ts';
import { replayTape } from '../../src/tape/replay.ts';
import { hookFile, tempProject } from '../support/temp-project.ts';

const EXAMPLE = new URL('../../examples/16-rules-about-rules', import.meta.url).pathname;
const NOBODY = { managed: '/nowhere/managed', user: '/nowhere/user' };

async function copied(): Promise<string> {
  const dir = tempProject();
  await cp(EXAMPLE, dir, { recursive: true });
  return dir;
}

const problemsOf = async (dir: string) =>
  (await checkPolicy(await openPolicy(dir), {})).map(({ code, message, position }) => [
    code,
    position?.file,
    message,
  ]);

const script = (body: string, event = 'tool.pre') =>
  hookFile(`def handle(event, payload):\n    ${body}`, `event: ${event}\npriority: 3`);

describe('hooks read the policy they are part of', () => {
  it('policy.hooks: every hook with its name, event, priority, source, front matter and body', async () => {
    const dir = tempProject({
      'harness.md':
        '---\nhooks:\n  - handler: inline\n    event: turn.end\n    script: |\n      def handle(event, payload):\n          return allow()\n---\n',
      '.harness/hooks/look.md': script('return block(json.encode(policy.hooks()))'),
      '.harness/hooks/later.md':
        '---\nevent: PreToolUse\npriority: 7\nwhen: payload["name"] == "x"\nowner: team-a\n---\n\n# later\n\nWaits.\n',
    });
    const { reason } = await (await openPolicy(dir)).decide('tool.pre', { name: 'x', args: {} });
    const hooks = JSON.parse(String(reason)) as Record<string, unknown>[];
    expect(hooks.map(({ name, event, priority, source }) => [name, event, priority, source])).toEqual([
      ['look', 'tool.pre', 3, '.harness/hooks/look.md'],
      ['later', 'tool.pre', 7, '.harness/hooks/later.md'],
      ['inline', 'turn.end', null, 'harness.md'],
    ]);
    expect(hooks[1]).toMatchObject({
      written_event: 'PreToolUse',
      front_matter: { event: 'PreToolUse', priority: 7, owner: 'team-a' },
      body: '# later\n\nWaits.',
      when: 'payload["name"] == "x"',
      layer: 'project',
    });
  });

  it('policy.tools: every tool of the folder, those of lists and broken ones too', async () => {
    const dir = tempProject({
      'harness.md': '---\ntools:\n  - name: listed\n    description: Listed.\n    script: x\n---\n',
      '.harness/tools/one.md':
        '---\nparameters: {}\nscript: |\n  def run(args):\n      return 1\n---\n\nOne.\n',
      '.harness/tools/broken.md': 'no front matter\n',
      '.harness/hooks/look.md': script('return block(json.encode(policy.tools()))'),
    });
    const { reason } = await (await openPolicy(dir)).decide('tool.pre', { name: 'x', args: {} });
    const tools = JSON.parse(String(reason)) as Record<string, unknown>[];
    expect(tools.map(({ name, source, body }) => [name, source, body])).toEqual([
      ['broken', '.harness/tools/broken.md', expect.any(String)],
      ['one', '.harness/tools/one.md', 'One.'],
      ['listed', 'harness.md', 'Listed.'],
    ]);
    expect(tools[1]).toMatchObject({ front_matter: { parameters: {} }, layer: 'project' });
  });

  it('a condition cannot: it sees its payload alone', async () => {
    const dir = tempProject({
      '.harness/hooks/x.md': '---\nevent: tool.pre\npriority: 1\nwhen: policy.hooks()\n---\n',
    });
    expect((await openPolicy(dir)).problems.map(({ code }) => code)).toContain('WHEN_INVALID');
  });

  it('what was read cannot be changed', async () => {
    const dir = tempProject({ '.harness/hooks/x.md': script('policy.hooks().append(1)') });
    const { trace } = await (await openPolicy(dir)).decide('tool.pre', { name: 'x', args: {} });
    expect(trace[0]!.failure?.message).toContain('frozen');
  });

  it('a replay over the same policy reads the same, and a changed tool is a changed policy', async () => {
    const dir = await copied();
    const policy = await openPolicy(dir);
    const path = join(dir, 'tape.jsonl');
    const tape = openTape(path, {
      session: 's',
      hooks: policy.hooks,
      policy: policy.digest,
      host: policy.host,
    });
    const engine = policy.engine({ run: policy.newRun(), recorder: tape.recorder });
    expect((await engine.decide('meta.validate', {})).action).toBe('allow');
    await tape.close();
    const again = await openPolicy(dir);
    const same = await replayTape(path, { hooks: again.hooks, policy: again.digest });
    expect(same).toMatchObject({ differences: [], policyChanges: [] });
    const file = join(dir, '.harness/tools/write_note.md');
    writeFileSync(file, '---\nscript: |\n  def run(args):\n      return 2\n---\n\nTwo.\n');
    const changed = await openPolicy(dir);
    expect(changed.digest.digest).not.toBe(policy.digest.digest);
  });
});

describe('rules about the policy, on meta.validate', () => {
  it('every new tool ships with a matching audit hook', async () => {
    const dir = await copied();
    expect(await problemsOf(dir)).toEqual([]);
    writeFileSync(
      join(dir, '.harness/tools/send_mail.md'),
      '---\nscript: |\n  def run(args):\n      return 1\n---\n\nSends.\n',
    );
    expect(await problemsOf(dir)).toEqual([
      [
        'POLICY_RULE',
        '.harness/hooks/every_tool_is_audited.md',
        'rule "every_tool_is_audited": tools without an audit hook: send_mail (.harness/tools/send_mail.md): want a hook audit_send_mail on tool.post',
      ],
    ]);
  });

  it('no hook lacks a priority; every rule that objects is heard', async () => {
    const dir = await copied();
    rmSync(join(dir, '.harness/hooks/audit_write_note.md'));
    writeFileSync(join(dir, '.harness/hooks/hasty.md'), '---\nevent: tool.pre\n---\n');
    expect((await problemsOf(dir)).map(([, file]) => file)).toEqual([
      '.harness/hooks/every_tool_is_audited.md',
      '.harness/hooks/every_hook_has_a_priority.md',
    ]);
  });

  it('a rule that fails is an error too', async () => {
    const dir = tempProject({ '.harness/hooks/x.md': script('fail("oh")', 'meta.validate') });
    expect(await problemsOf(dir)).toEqual([
      ['POLICY_RULE', '.harness/hooks/x.md', expect.stringContaining('oh')],
    ]);
  });

  it('decide asks them like any other event', async () => {
    const dir = await copied();
    rmSync(join(dir, '.harness/hooks/audit_write_note.md'));
    const outcome = await (await openPolicy(dir, { places: NOBODY })).decide('meta.validate', {});
    expect(outcome).toMatchObject({ action: 'block', hook: 'every_tool_is_audited' });
  });
});
