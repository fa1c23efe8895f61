import { describe, expectTypeOf, it } from 'vitest';
import type { Json } from '../../base/json.ts';
import {
  createHooks,
  type HookContext,
  type HookEvent,
  HookRegistry,
  type HookSpec,
  type PersonaEventName,
  type SessionEventName,
  ToolHookRegistry,
} from '../../exports/hooks.ts';

/** Checked by the type checker; nothing here runs more than once. */
describe('what an editor knows', () => {
  it('[C121] the context of a registry hook follows from its event', () => {
    const registry = new HookRegistry();
    registry.register('tool.pre', {
      type: 'fn',
      name: 'a',
      fn: (ctx) => {
        expectTypeOf(ctx.event).toEqualTypeOf<'tool.pre'>();
        expectTypeOf(ctx.toolInput).toEqualTypeOf<Readonly<Record<string, unknown>>>();
        expectTypeOf(ctx.turnIndex).toBeNumber();
        return {};
      },
    });
    registry.register('model.post', {
      type: 'fn',
      name: 'b',
      fn: async (ctx) => {
        expectTypeOf(ctx.costUsd).toBeNumber();
        expectTypeOf(ctx.stopReason).toBeString();
        return { output: 'metered' };
      },
    });
    const spec: HookSpec = {
      type: 'fn',
      name: 'c',
      fn: (ctx: HookContext) => (ctx.event === 'session.end' ? { output: ctx.reason } : {}),
    };
    registry.register('session.end', spec);
    expectTypeOf<'tool.before'>().not.toExtend<HookEvent>();
  });

  it('a result with a misspelt key does not compile', () => {
    expectTypeOf<{ continue: false; reason: string }>().toExtend<
      ReturnType<Extract<HookSpec, { type: 'fn' }>['fn']>
    >();
    expectTypeOf<{ continue: string }>().not.toExtend<ReturnType<Extract<HookSpec, { type: 'fn' }>['fn']>>();
  });

  it('the event of a Harn handler follows from its name, in either spelling', () => {
    const hooks = createHooks();
    hooks.registerSessionHook('user_prompt_submit', (event) => {
      expectTypeOf(event.prompt).toBeString();
      return { block: true, reason: event.session.id };
    });
    hooks.registerSessionHook('PermissionAsked', 'exec_*', (event) => {
      expectTypeOf(event.tool.name).toBeString();
      return { decision: 'deny' };
    });
    hooks.registerSessionHook('error', (event) => {
      expectTypeOf(event.message).toBeString();
      return null;
    });
    hooks.registerToolHook({
      pre: (event) => {
        expectTypeOf(event.tool.args).toBeObject();
        return { reminder: { body: 'Network fetch is about to run', tags: ['tool'] } };
      },
      post: (event) => {
        expectTypeOf(event.result.text).toBeString();
        return event.result.text.trim();
      },
    });
    hooks.registerStepHook('merge_*', 'audit', 'PreStep', (event) => {
      expectTypeOf(event.step.args).toEqualTypeOf<readonly Json[]>();
      return { reminder: { body: 'Audit step is running' }, args: event.step.args };
    });
    hooks.registerPersonaHook('*', 'OnBudgetThreshold(80)', (event) => {
      expectTypeOf(event.percentage).toBeNumber();
      return null;
    });
    expectTypeOf<'PreToolUse'>().not.toExtend<SessionEventName>();
    expectTypeOf<'session_start'>().not.toExtend<PersonaEventName>();
    expectTypeOf<'on_unsettled_detected'>().toExtend<SessionEventName>();
  });

  it('interceptors know their context and their result', () => {
    const registry = new ToolHookRegistry<{ tenant: string }, { content: string; cached?: boolean }>();
    registry.registerBefore('*', (_, input, { tenant }) => ({ modifiedInput: { ...input, tenant } }));
    registry.registerAfter('read', (_, __, result) => {
      expectTypeOf(result.content).toBeString();
      return { ...result, cached: true };
    });
  });
});
