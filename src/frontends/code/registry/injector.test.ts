import { describe, expect, it } from 'vitest';
import { ReminderStore } from '../../../engine/reminders/store.ts';
import { ReminderInjector } from './injector.ts';
import {
  createDefaultRegistry,
  defineTemplate,
  type ReminderEvent,
  ReminderRegistry,
} from './reminder-templates.ts';

const EVENTS: readonly ReminderEvent[] = [
  { type: 'mode.entered', modeName: 'plan' },
  { type: 'mode.exited', modeName: 'plan', outcome: 'approved' },
  { type: 'hook.success', hookName: 'h', output: '' },
  { type: 'hook.blocked', hookName: 'h', reason: 'no' },
  { type: 'hook.context', hookName: 'h', context: 'c' },
  { type: 'compaction.done', preTokens: 9000, postTokens: 900 },
  { type: 'budget.warn', used: 8, total: 10, currency: 'usd' },
  { type: 'mcp.empty', server: 's', uri: 'u' },
  { type: 'tool.denied', toolName: 't', reason: 'no' },
  { type: 'fs.modified', path: 'a.ts', source: 'linter' },
  { type: 'task.nudge' },
  { type: 'session.continued', newCwd: '/x' },
  { type: 'skills.previously-invoked', skills: ['a', 'b'] },
];

describe('typed reminders', () => {
  it.each(EVENTS.map((event) => [event.type, event] as const))(
    '[C111] %s has a template by default',
    (_, event) => {
      const injector = new ReminderInjector(createDefaultRegistry());
      injector.emit(event);
      const [fragment, ...others] = injector.drain({ turnIndex: 0 });
      expect(fragment).toMatch(/^<system-reminder>\n[\s\S]+\n<\/system-reminder>$/);
      expect(others).toEqual([]);
    },
  );

  it('[C111] are shown in the order of the events, per event in that of the templates, and then are gone', () => {
    const registry = new ReminderRegistry()
      .register({ id: 'b', eventType: 'task.nudge', suppressible: true, render: () => 'second?' })
      .register({
        id: 'a',
        eventType: 'task.nudge',
        suppressible: true,
        render: (_, { turnIndex }) => `turn ${turnIndex}`,
      })
      .register(
        defineTemplate({
          id: 'm',
          eventType: 'mode.entered',
          suppressible: false,
          render: (e) => e.modeName,
        }),
      );
    const injector = new ReminderInjector(registry);
    injector.emit({ type: 'mode.entered', modeName: 'plan' });
    injector.emit({ type: 'task.nudge' });
    injector.emit({ type: 'session.continued', newCwd: '/nobody/renders/this' });
    expect(injector.size).toBe(3);
    expect(injector.drain({ turnIndex: 4 }).map((text) => text.split('\n')[1])).toEqual([
      'plan',
      'second?',
      'turn 4',
    ]);
    expect([injector.size, injector.drain({ turnIndex: 4 })]).toEqual([0, []]);
  });

  it('[C111] can be silenced by id, but not those the model must not miss', () => {
    const suppress = ['reminders.task.nudge', 'reminders.hook.blocked'];
    const injector = new ReminderInjector(createDefaultRegistry(), { suppress });
    injector.emit({ type: 'task.nudge' });
    injector.emit({ type: 'hook.blocked', hookName: 'h', reason: 'no' });
    expect(injector.drain({ turnIndex: 0 })).toEqual([expect.stringContaining('blocked')]);
    expect([injector.isSuppressed('reminders.task.nudge'), injector.isSuppressed('x')]).toEqual([
      true,
      false,
    ]);
  });

  it('[C111] a template id is unique and can be given up', () => {
    const registry = createDefaultRegistry();
    const twin = {
      id: 'reminders.task.nudge',
      eventType: 'task.nudge',
      suppressible: true,
      render: () => 'x',
    } as const;
    expect(() => registry.register(twin)).toThrow('is there already');
    expect([registry.unregister(twin.id), registry.unregister(twin.id), registry.size]).toEqual([
      true,
      false,
      12,
    ]);
  });

  it('a blank text says nothing, and a template that throws loses only itself, with a record', () => {
    const registry = new ReminderRegistry()
      .register({ id: 'blank', eventType: 'task.nudge', suppressible: true, render: () => ' \n' })
      .register({
        id: 'throws',
        eventType: 'task.nudge',
        suppressible: true,
        render: () => {
          throw new Error('boom');
        },
      })
      .register({ id: 'fine', eventType: 'task.nudge', suppressible: true, render: () => 'fine' });
    const injector = new ReminderInjector(registry);
    injector.emit({ type: 'task.nudge' });
    expect(injector.drain({ turnIndex: 0 })).toEqual(['<system-reminder>\nfine\n</system-reminder>']);
    expect(injector.store.takeRecords()).toContainEqual(
      expect.objectContaining({ kind: 'dropped', hook: 'throws', reason: expect.stringContaining('boom') }),
    );
  });

  it('[C112] go on the last user message of one request, together with what hooks left', () => {
    const store = new ReminderStore();
    const injector = new ReminderInjector(createDefaultRegistry(), { store });
    injector.emit({ type: 'task.nudge' });
    store.add({ body: 'from a hook' }, { hook: 'h', turn: 0 });
    const none = [{ role: 'system', content: 's' }];
    expect(injector.attachTo(none, { turnIndex: 0 })).toBe(none);
    const history = [{ role: 'user', content: 'do it' }];
    const [message] = injector.attachTo(history, { turnIndex: 0 });
    expect(message!.content).toMatch(/^do it\n\n[\s\S]*from a hook[\s\S]*tasks/);
    expect(history).toEqual([{ role: 'user', content: 'do it' }]);
    expect(injector.attachTo(history, { turnIndex: 0 })).toBe(history);
  });

  it('can be forgotten', () => {
    const injector = new ReminderInjector(createDefaultRegistry());
    injector.emit({ type: 'task.nudge' });
    expect(injector.pending()).toEqual([{ type: 'task.nudge' }]);
    injector.clear();
    expect(injector.drain({ turnIndex: 0 })).toEqual([]);
  });
});
