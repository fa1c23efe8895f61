import { afterEach, describe, expect, it } from 'vitest';
import {
  clearPersonaHooks,
  clearSessionHooks,
  clearToolHooks,
  createDefaultRegistry,
  defaultHooks,
  Engine,
  HookRegistry,
  HookRuntime,
  ReminderInjector,
  RunState,
  registerSessionHook,
  registerStepHook,
  registerToolHook,
} from '../../exports/hooks.ts';
import { machineHost } from '../../machine/host.ts';

describe('the examples of the specifications, as printed', () => {
  afterEach(() => {
    clearSessionHooks();
    clearToolHooks();
    clearPersonaHooks();
  });

  it('[C121] a registry with a guard and an archive, and what the model hears of them', async () => {
    const archived: string[] = [];
    const archiveRun = async (sessionId: string, reason: string) =>
      void archived.push(`${sessionId} ${reason}`);

    const registry = new HookRegistry();
    registry.register('tool.pre', {
      type: 'fn',
      name: 'no-prod',
      fn: (ctx) => {
        if (ctx.event !== 'tool.pre') return { continue: true };
        const target = String(ctx.toolInput.file_path ?? '');
        if (target.startsWith('/srv/prod')) {
          return { continue: false, reason: 'Production paths are off-limits in this session.' };
        }
        return { continue: true };
      },
    });
    registry.register('session.end', {
      type: 'fn',
      name: 'archive',
      fn: async (ctx) => {
        if (ctx.event === 'session.end') await archiveRun(ctx.sessionId, ctx.reason);
        return { continue: true };
      },
    });
    const reminders = new ReminderInjector(createDefaultRegistry());
    const hooks = new HookRuntime({ registry, reminders });

    const write = (file_path: string) =>
      hooks.run({ event: 'tool.pre', turnIndex: 0, toolName: 'write_file', toolInput: { file_path } });
    expect(await write('/srv/prod/db')).toEqual({
      continue: false,
      blockedHook: 'no-prod',
      blockedReason: 'Production paths are off-limits in this session.',
    });
    expect(await write('/tmp/x')).toEqual({ continue: true });
    expect(reminders.drain({ turnIndex: 1 }).join()).toContain(
      'Hook "no-prod" blocked the action: Production paths are off-limits in this session.',
    );
    await hooks.run({ event: 'session.end', turnIndex: 1, sessionId: 's1', reason: 'aborted' });
    expect(archived).toEqual(['s1 aborted']);
  });

  it('the Harn functions: gates, limits, reminders, steps, prompts, permissions', async () => {
    registerToolHook({ pattern: 'exec_*', deny: 'exec is gated' });
    registerToolHook({ pattern: '*', max_output: 4000 });
    registerToolHook({
      pattern: 'fetch_*',
      pre: (_event) => ({ reminder: { body: 'Network fetch is about to run', tags: ['tool'] } }),
    });
    registerStepHook('merge_*', 'audit', 'PreStep', (ctx) => ({
      reminder: { body: 'Audit step is running', tags: ['audit'] },
      args: ctx.step.args,
    }));
    registerSessionHook('user_prompt_submit', (event) => {
      if (event.prompt.includes('secret'))
        return { block: true, reason: 'policy violation: secret in prompt' };
      return null;
    });
    registerSessionHook('permission_asked', (event) =>
      event.tool.name === 'exec_root'
        ? { decision: 'deny', reason: 'exec_root never runs unattended' }
        : null,
    );
    const { registry } = defaultHooks;
    const engine = new Engine({ registry, host: machineHost, run: new RunState() });

    expect(await engine.decide('tool.pre', { name: 'exec_x' })).toMatchObject({
      action: 'block',
      reason: 'exec is gated',
    });
    expect((await engine.decide('tool.pre', { name: 'fetch_url' })).effects).toMatchObject([
      { kind: 'reminder', reminder: { body: 'Network fetch is about to run' } },
    ]);
    expect((await engine.decide('tool.post', { name: 'x', content: 'y\n'.repeat(9000) })).action).toBe(
      'modify',
    );
    const step = { persona: 'merge_bot', step: 'audit', args: [1] };
    expect((await engine.decide('step.pre', step)).effects).toHaveLength(1);
    expect(await engine.decide('turn.start', 'my secret')).toMatchObject({
      reason: 'policy violation: secret in prompt',
    });
    expect(await engine.decide('permission.asked', { name: 'exec_root' })).toMatchObject({
      action: 'block',
      reason: 'exec_root never runs unattended',
    });
  });
});
