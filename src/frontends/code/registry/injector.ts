/**
 * The reminder injector: typed events of a session, told to the model with its next request. A face of the one reminder
 * store, so that what templates say and what hooks leave are shown together.
 */

import { carrierOf, describeThrown, ReminderStore, type RequestMessage } from '../../../engine/index.ts';
import type {
  ReminderEvent,
  ReminderRegistry,
  ReminderTemplate,
  RenderContext,
} from './reminder-templates.ts';

export interface ReminderInjectorOptions {
  /** Ids of templates to silence. Counts only for those that can be. */
  readonly suppress?: readonly string[];
  /** Shared with whatever else leaves reminders. */
  readonly store?: ReminderStore;
}

export class ReminderInjector {
  readonly store: ReminderStore;
  private readonly registry: ReminderRegistry;
  private readonly suppressed: ReadonlySet<string>;
  private queue: ReminderEvent[] = [];

  constructor(
    registry: ReminderRegistry,
    { suppress = [], store = new ReminderStore() }: ReminderInjectorOptions = {},
  ) {
    this.registry = registry;
    this.suppressed = new Set(suppress);
    this.store = store;
  }

  /** Cheap: templates are rendered when the next request is made. */
  emit(event: ReminderEvent): void {
    this.queue.push(event);
  }

  /** Events that wait for the next request. */
  pending(): readonly ReminderEvent[] {
    return [...this.queue];
  }

  get size(): number {
    return this.queue.length;
  }

  clear(): void {
    this.queue = [];
  }

  isSuppressed(templateId: string): boolean {
    return this.suppressed.has(templateId);
  }

  /** The fragments for the next request, in the order of the events. Nothing is left afterwards. */
  drain(context: RenderContext): readonly string[] {
    this.render(context);
    return this.store.drain(context.turnIndex);
  }

  /** The messages of a request with what is pending on the last user message; without one it stays pending. */
  attachTo<M extends RequestMessage>(messages: readonly M[], context: RenderContext): readonly M[] {
    if (carrierOf(messages) === -1) return messages;
    this.render(context);
    return this.store.attachTo(messages, context.turnIndex);
  }

  private render(context: RenderContext): void {
    const events = this.queue;
    this.queue = [];
    for (const event of events) {
      for (const template of this.registry.templatesFor(event.type)) this.leave(template, event, context);
    }
  }

  private leave(template: ReminderTemplate, event: ReminderEvent, context: RenderContext): void {
    if (template.suppressible && this.suppressed.has(template.id)) return;
    const leaving = { hook: template.id, turn: context.turnIndex };
    try {
      const body = template.render(event, context);
      if (body.trim() !== '') this.store.add({ body, preserve_on_compact: true, propagate: 'none' }, leaving);
    } catch (thrown) {
      // A request must go out whatever a template does; what was lost is on record.
      this.store.refuse(leaving, `the template failed: ${describeThrown(thrown)}`);
    }
  }
}
