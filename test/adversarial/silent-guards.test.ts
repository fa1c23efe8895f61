/**
 * No guard is ever silently off: files that look like a guard, payloads no guard could judge, and hooks whose words the engine
 * does not know either take effect or leave a sign.
 */
import { mkdirSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import type { Json } from '../../src/base/json.ts';
import type { Hook } from '../../src/engine/hook.ts';
import { Registry } from '../../src/engine/registry.ts';
import { loadProject, type Project } from '../../src/frontends/project.ts';
import { decisions, engineOf, hook, now } from '../support/plain-hook.ts';
import { decideScript, fire, hookFile, loadHooks, tempProject } from '../support/temp-project.ts';

const GUARD = hookFile('def handle(event, payload):\n    return block("no")');
const QUIET = hookFile('def handle(event, payload):\n    return allow()', 'event: tool.pre\npriority: 1');
const CALL: Json = { id: '1', name: 'run_command', args: { command: 'x' } };

async function actionOf(project: Project, payload: Json = CALL): Promise<string> {
  return (await fire(project, 'tool.pre', payload)).outcome.action;
}

const strays = ({ problems }: Project) =>
  problems.filter(({ code }) => code === 'FILE_STRAY').map(({ message }) => message);

describe('a file that looks like a guard', () => {
  it.each(['guard.MD', 'guard.Md', 'my guard.md'])('%s is read', async (name) => {
    const dir = tempProject({ '.harness/hooks/quiet.md': QUIET, [`.harness/hooks/${name}`]: GUARD });
    const project = await loadProject(dir);
    expect(await actionOf(project)).toBe('block');
    expect(strays(project)).toEqual([]);
  });

  it.each([
    ['.harness/hooks/.guard.md', 'must end in .md'],
    ['.harness/hooks/guard.md~', 'must end in .md'],
    ['.harness/hooks/guard.md.bak', 'must end in .md'],
    ['.harness/hooks/guard.markdown', 'must end in .md'],
    ['.harness/hooks/team/guard.md', 'only files directly in .harness/hooks are'],
    ['.harness/plugins/team/guard.md', 'only files directly in .harness/plugins are'],
    ['.harness/hook/guard.md', 'did you mean hooks?'],
    ['.harness/Hooks/guard.md', 'did you mean hooks?'],
    ['.harness/plugin/guard.md', 'did you mean plugins?'],
    ['.harness/settings.local.json', 'did you mean settings.json?'],
    ['.harness/guard.md', 'hooks are files in .harness/hooks'],
    ['.Harness/hooks/guard.md', 'the name is .harness'],
    ['HARNESS.md', 'the name is harness.md'],
    ['Agent.json', 'the name is agent.json'],
  ])('%s is not read, and said so', async (path, why) => {
    const project = await loadProject(tempProject({ '.harness/hooks/quiet.md': QUIET, [path]: GUARD }));
    expect(strays(project)).toEqual([expect.stringContaining(why)]);
  });

  it('what belongs there, and what an editor leaves beside a file, is no stray', async () => {
    const beside = ['.harness/hooks/.quiet.md.swp', '.harness/hooks/quiet.md~', '.harness/hooks/#quiet.md#'];
    const known = ['.harness/README.md', '.harness/tools/x.md', '.harness/hooks/check.sh', 'README.md'];
    const files = Object.fromEntries([...beside, ...known].map((path) => [path, '---\n---\n']));
    expect(strays(await loadProject(tempProject({ '.harness/hooks/quiet.md': QUIET, ...files })))).toEqual(
      [],
    );
  });

  it.each<[string, (dir: string) => void]>([
    ['.harness is a link to nowhere', (dir) => symlinkSync('/nowhere/at/all', join(dir, '.harness'))],
    ['.harness is a link to itself', (dir) => symlinkSync('.harness', join(dir, '.harness'))],
    ['.harness is a file', (dir) => writeFileSync(join(dir, '.harness'), '')],
    [
      'the folder of hooks is a link to nowhere',
      (dir) => {
        mkdirSync(join(dir, '.harness'));
        symlinkSync('/nowhere/at/all', join(dir, '.harness/hooks'));
      },
    ],
  ])('%s: everything is blocked', async (_title, make) => {
    const dir = tempProject();
    rmSync(join(dir, '.harness'), { recursive: true, force: true });
    make(dir);
    expect(await actionOf(await loadProject(dir))).toBe('block');
  });

  it('an inline hook whose name a file takes on another event stays in the chain, and a warning names both places', async () => {
    const inline = '---\nhooks:\n  - {handler: guard, event: tool.pre, priority: 1}\n---\n';
    const file = hookFile('def handle(event, payload):\n    return allow()', 'event: turn.end\npriority: 1');
    const { hooks, problems } = await loadProject(
      tempProject({ 'harness.md': inline, '.harness/hooks/guard.md': file }),
    );
    expect(hooks.map(({ name, event }) => `${name} ${event}`)).toEqual(['guard tool.pre', 'guard turn.end']);
    expect(problems).toContainEqual(
      expect.objectContaining({
        code: 'HOOK_DUPLICATE',
        message: expect.stringContaining('is also in harness.md:3'),
        position: expect.objectContaining({ file: '.harness/hooks/guard.md' }),
      }),
    );
  });

  it('a hook without a script says in the trace that it guards nothing', async () => {
    const { outcome } = await fire(
      await loadHooks({ guard: '---\nevent: tool.pre\npriority: 1\n---\n' }),
      'tool.pre',
      CALL,
    );
    expect(outcome.trace[0]?.warnings).toEqual(['the hook has no script: it allows everything']);
  });
});

describe('a payload no guard could judge', () => {
  const guard = hookFile(
    'def handle(event, payload):\n    return block("no")',
    'event: tool.pre\npriority: 1\nwhen: payload["name"] == "run_command"',
  );

  it.each<[string, Json]>([
    ['nothing', null],
    ['text', 'run_command'],
    ['a list', [CALL]],
    ['no name', { args: { command: 'x' } }],
    ['another spelling', { tool_name: 'run_command', tool_input: { command: 'x' } }],
    ['a name that is a list', { name: ['run_command'], args: {} }],
    ['a name that is null', { name: null, args: {} }],
    ['an empty name', { name: '', args: {} }],
  ])('%s is blocked', async (_title, payload) => {
    expect(await actionOf(await loadHooks({ guard }), payload)).toBe('block');
  });

  it('a result without the name of its tool is hidden', () => {
    expect(now(engineOf([]).decide('tool.post' as string, { content: 'secret' }))).toMatchObject({
      action: 'block',
    });
  });

  it('a message that is no text is blocked', () => {
    expect(now(engineOf([]).decide('turn.start' as string, { prompt: 'x' }))).toMatchObject({
      action: 'block',
    });
  });

  it('arguments nested beyond reason are blocked before anything runs out of stack', () => {
    const deep = `{"a":${'['.repeat(100_000)}${']'.repeat(100_000)}}`;
    const outcome = now(engineOf([]).decide('tool.pre', { name: 'x', arguments: deep }));
    expect(outcome.action).toBe('block');
    expect(() => JSON.stringify(outcome)).not.toThrow();
  });

  it('a rewrite cannot take the name away', () => {
    const rename = hook({ name: 'rename', body: () => decisions.modify({ name: null }) });
    expect(now(engineOf([rename]).decide('tool.pre' as string, CALL))).toMatchObject({
      action: 'block',
      reason: expect.stringContaining('name is not the name of a tool'),
    });
  });

  it('a condition that a payload can exhaust is a failed guard, not an absent one', async () => {
    const { outcome } = await decideScript('def handle(event, payload):\n    return block("no")', {
      fields: 'when: len([x for x in range(payload["args"]["n"])]) > 0',
      payload: { name: 'x', args: { n: 100_000_000 } },
    });
    expect(outcome).toMatchObject({ action: 'block', trace: [{ state: 'condition_failed' }] });
    const raised = await decideScript('def handle(event, payload):\n    return block("no")', {
      fields: 'when: payload["args"]["absent"] == 1',
    });
    expect(raised.outcome.action).toBe('allow');
  });
});

describe('a hook that emits', () => {
  it('cannot hold up a decision by emitting without end', async () => {
    const storm = 'def handle(event, payload):\n    for i in range(1000):\n        emit("custom.storm", {})';
    const fields = (event: string) => `event: ${event}\npriority: 1\ntimeout_ms: 100\non_error: allow`;
    const project = await loadHooks({
      first: hookFile(storm, fields('tool.pre')),
      again: hookFile(storm, fields('custom.storm')),
    });
    // Without its limit it would take longer than any test has.
    const { outcome } = await fire(project, 'tool.pre', CALL);
    expect(outcome.trace[0]?.failure?.kind).toBe('timeout');
  });
});

describe('a hook registered in code', () => {
  it.each<[string, object]>([
    ['mode', { mode: 'Enforce' }],
    ['onError', { onError: 'blok' }],
    ['onError', { onError: undefined }],
    ['onWhenError', { onWhenError: 'Block' }],
    ['origin', { origin: 'me' }],
  ])('is refused where its %s is no word the engine knows: %o', (key, wrong) => {
    const broken = { ...hook({ body: () => decisions.block('no') }), ...wrong } as Hook;
    expect(() => new Registry([broken])).toThrow(`${key} wants`);
  });
});
