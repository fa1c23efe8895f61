/**
 * Typed reminders: what can happen to a session that the model should hear of, and the sentences it hears. A template can
 * be silenced by its id if it says so; those the model must not miss cannot.
 */
import { blockedText, contextText, outputText } from '../../../engine/index.ts';
import { misuse } from '../code-hook.ts';

export type ReminderEvent =
  | { readonly type: 'mode.entered'; readonly modeName: string }
  | {
      readonly type: 'mode.exited';
      readonly modeName: string;
      readonly outcome: 'approved' | 'rejected' | 'aborted';
    }
  | { readonly type: 'hook.success'; readonly hookName: string; readonly output: string }
  | { readonly type: 'hook.blocked'; readonly hookName: string; readonly reason: string }
  | { readonly type: 'hook.context'; readonly hookName: string; readonly context: string }
  | { readonly type: 'compaction.done'; readonly preTokens: number; readonly postTokens: number }
  | {
      readonly type: 'budget.warn';
      readonly used: number;
      readonly total: number;
      readonly currency: 'tokens' | 'usd';
    }
  | { readonly type: 'mcp.empty'; readonly server: string; readonly uri: string }
  | { readonly type: 'tool.denied'; readonly toolName: string; readonly reason: string }
  | { readonly type: 'fs.modified'; readonly path: string; readonly source: 'user' | 'linter' | 'external' }
  | { readonly type: 'task.nudge' }
  | { readonly type: 'session.continued'; readonly newCwd: string }
  | { readonly type: 'skills.previously-invoked'; readonly skills: readonly string[] };

export type ReminderEventType = ReminderEvent['type'];
export type ReminderEventOf<T extends ReminderEventType> = Extract<ReminderEvent, { type: T }>;

export interface RenderContext {
  readonly turnIndex: number;
}

export interface ReminderTemplate<T extends ReminderEventType = ReminderEventType> {
  /** Unique in a registry. */
  readonly id: string;
  readonly eventType: T;
  /** May be silenced. */
  readonly suppressible: boolean;
  /** A blank text says nothing. */
  render(event: ReminderEventOf<T>, context: RenderContext): string;
}

/** The template as it is, with the type of its event known to `render`. */
export function defineTemplate<T extends ReminderEventType>(
  template: ReminderTemplate<T>,
): ReminderTemplate<T> {
  return template;
}

export class ReminderRegistry {
  private readonly templates = new Map<string, ReminderTemplate>();

  register<T extends ReminderEventType>(template: ReminderTemplate<T>): this {
    if (this.templates.has(template.id)) misuse(`a reminder template "${template.id}" is there already`);
    this.templates.set(template.id, template as unknown as ReminderTemplate);
    return this;
  }

  /** False where there is none of that id. */
  unregister(id: string): boolean {
    return this.templates.delete(id);
  }

  /** In the order they were registered. */
  templatesFor(type: ReminderEventType): readonly ReminderTemplate[] {
    return [...this.templates.values()].filter((template) => template.eventType === type);
  }

  get size(): number {
    return this.templates.size;
  }
}

/** One a type. What the model must know to stop retrying, or to keep to its mode, cannot be silenced. */
const DEFAULTS: { readonly [T in ReminderEventType]: Omit<ReminderTemplate<T>, 'id' | 'eventType'> } = {
  'mode.entered': {
    suppressible: false,
    render: ({ modeName }) => `The session is now in ${modeName} mode. Keep to what this mode allows.`,
  },
  'mode.exited': {
    suppressible: false,
    render: ({ modeName, outcome }) => `The session has left ${modeName} mode (${outcome}).`,
  },
  'hook.success': {
    suppressible: true,
    render: ({ hookName, output }) => outputText(hookName, output),
  },
  'hook.blocked': {
    suppressible: false,
    render: ({ hookName, reason }) =>
      `${blockedText(hookName, reason)}\nDo not try the same again; find another way or ask.`,
  },
  'hook.context': {
    suppressible: true,
    render: ({ hookName, context }) => contextText(hookName, context),
  },
  'compaction.done': {
    suppressible: true,
    render: ({ preTokens, postTokens }) =>
      `The conversation was shortened from about ${preTokens} to ${postTokens} tokens. Details before this point may be missing.`,
  },
  'budget.warn': {
    suppressible: true,
    render: ({ used, total, currency }) =>
      currency === 'usd'
        ? `${used.toFixed(2)} of ${total.toFixed(2)} USD are spent.`
        : `${used} of ${total} tokens are used.`,
  },
  'mcp.empty': {
    suppressible: true,
    render: ({ server, uri }) => `The resource ${uri} of the server ${server} is empty.`,
  },
  'tool.denied': {
    suppressible: false,
    render: ({ toolName, reason }) =>
      `The call of ${toolName} was denied: ${reason}\nDo not call it this way again.`,
  },
  'fs.modified': {
    suppressible: true,
    render: ({ path, source }) =>
      `${path} was changed by ${CHANGED_BY[source]}. Read it again before you edit it.`,
  },
  'task.nudge': {
    suppressible: true,
    render: () => 'The list of tasks has not been looked at for a while. Bring it up to date if it helps.',
  },
  'session.continued': {
    suppressible: true,
    render: ({ newCwd }) => `The session goes on in ${newCwd}. Earlier paths may no longer hold.`,
  },
  'skills.previously-invoked': {
    suppressible: true,
    render: ({ skills }) =>
      skills.length === 0 ? '' : `Skills used earlier in this session: ${skills.join(', ')}.`,
  },
};

const CHANGED_BY = { user: 'the user', linter: 'a linter', external: 'another program' } as const;

/** A registry with a template for every type, under the id `reminders.<type>`. */
export function createDefaultRegistry(): ReminderRegistry {
  const registry = new ReminderRegistry();
  for (const eventType of Object.keys(DEFAULTS) as ReminderEventType[]) {
    registry.register({
      id: `reminders.${eventType}`,
      eventType,
      ...DEFAULTS[eventType],
    } as ReminderTemplate);
  }
  return registry;
}
