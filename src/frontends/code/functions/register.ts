/**
 * The Harn surface: functions that bind handlers to tools, personas, steps and sessions. Every call returns what undoes
 * it; a call that cannot mean anything throws.
 */
import { didYouMean } from '../../../base/index.ts';
import { type Hook, Registry } from '../../../engine/index.ts';
import { checkTimeout, codeHook, misuse } from '../code-hook.ts';
import { compactOutput } from './compact-output.ts';
import { byExpression, byPersona, type PatternCondition } from './condition.ts';
import {
  type HarnEvent,
  type PersonaEventName,
  type PersonaEventOf,
  type PostToolUseEvent,
  type PreToolUseEvent,
  requireHarnEvent,
  type SessionEventName,
  type SessionEventOf,
  type Surface,
} from './events.ts';
import { handlerBody, harnFrontEnd } from './functions-front-end.ts';
import { Providers, type ReminderProvider } from './providers.ts';
import type { PersonaAnswer, PostToolAnswer, PreToolAnswer, SessionAnswer } from './returns.ts';

type MaybeAsync<T> = T | PromiseLike<T>;

/** Undoes a registration; may be called more than once. */
export type Dispose = () => void;

export interface ToolHookConfig {
  /** Which tools: a glob over names, or an expression over the event. All by default. */
  readonly pattern?: string;
  /** Refuses the call with this reason. */
  readonly deny?: string;
  /** Shortens results that are longer, in bytes. Under 200 only the beginning is kept. */
  readonly max_output?: number;
  readonly pre?: (event: PreToolUseEvent) => MaybeAsync<PreToolAnswer>;
  readonly post?: (event: PostToolUseEvent) => MaybeAsync<PostToolAnswer>;
}

export type SessionHandler<N extends SessionEventName> = (
  event: SessionEventOf<N>,
) => MaybeAsync<SessionAnswer>;
export type PersonaHandler<N extends PersonaEventName> = (
  event: PersonaEventOf<N>,
) => MaybeAsync<PersonaAnswer>;

export interface HarnOptions {
  /** How long one handler may take; 5000 by default. */
  readonly timeoutMs?: number;
  /** Told of patterns that can never match. They are in `warnings` as well. */
  readonly onWarning?: (message: string) => void;
}

const TOOL_KEYS = ['pattern', 'deny', 'max_output', 'pre', 'post'];

export class HarnHooks {
  /** The pipeline's registry behind this surface. */
  readonly registry: Registry;
  /** What was wrong with registrations that were accepted all the same. */
  readonly warnings: string[] = [];
  private readonly timeoutMs: number;
  private readonly onWarning: ((message: string) => void) | undefined;
  private readonly held: Readonly<Record<Surface, Set<Dispose>>> = {
    tool: new Set(),
    persona: new Set(),
    session: new Set(),
  };
  private readonly providers: Providers;

  constructor(registry: Registry = new Registry(), options: HarnOptions = {}) {
    this.registry = registry;
    this.timeoutMs = checkTimeout('createHooks', options.timeoutMs);
    this.onWarning = options.onWarning;
    this.providers = new Providers(registry, this.timeoutMs);
  }

  /** Up to four hooks: the refusal, the limit, `pre` and `post`, in this order. */
  registerToolHook(config: ToolHookConfig): Dispose {
    const { pattern = '*', deny, max_output: limit, pre, post } = checkToolConfig(config);
    const wants: [string, string, ((event: never) => unknown) | undefined][] = [
      ['deny', 'tool.pre', deny === undefined ? undefined : () => ({ deny })],
      ['max_output', 'tool.post', limit === undefined ? undefined : (event) => capped(event, limit)],
      ['pre', 'tool.pre', pre],
      ['post', 'tool.post', post],
    ];
    const hooks = wants.flatMap(([part, name, handler]) => {
      if (handler === undefined) return [];
      const event = requireHarnEvent('registerToolHook', name, ['tool']);
      return [this.hook(`tool_hook::${pattern}::${part}`, event, byExpression(pattern, event), handler)];
    });
    return this.hold('tool', hooks);
  }

  /** Handlers of a persona's events, by a glob over its name. */
  registerPersonaHook<N extends PersonaEventName>(
    pattern: string,
    event: N,
    handler: PersonaHandler<N>,
  ): Dispose {
    const found = requireHarnEvent('registerPersonaHook', event, ['persona']);
    checkText('registerPersonaHook', 'pattern', pattern);
    const name = `persona_hook::${found.name}::${pattern}`;
    return this.bind('registerPersonaHook', name, found, byPersona(pattern, null, found), handler);
  }

  /** Handlers of one step of a persona. */
  registerStepHook<N extends PersonaEventName>(
    personaPattern: string,
    stepName: string,
    event: N,
    handler: PersonaHandler<N>,
  ): Dispose {
    const found = requireHarnEvent('registerStepHook', event, ['persona']);
    checkText('registerStepHook', 'the persona pattern', personaPattern);
    checkText('registerStepHook', 'the step name', stepName);
    const name = `step_hook::${found.name}::${personaPattern}::${stepName}`;
    return this.bind('registerStepHook', name, found, byPersona(personaPattern, stepName, found), handler);
  }

  /** Handlers of a session's events, with or without a pattern over the event. */
  registerSessionHook<N extends SessionEventName>(event: N, handler: SessionHandler<N>): Dispose;
  registerSessionHook<N extends SessionEventName>(
    event: N,
    pattern: string,
    handler: SessionHandler<N>,
  ): Dispose;
  registerSessionHook<N extends SessionEventName>(
    event: N,
    ...rest: [SessionHandler<N>] | [string, SessionHandler<N>]
  ): Dispose {
    if (rest.length < 1 || rest.length > 2) {
      misuse(`registerSessionHook wants 2 or 3 arguments, got ${rest.length + 1}`);
    }
    const found = requireHarnEvent('registerSessionHook', event, ['session']);
    const [pattern, handler] = rest.length === 1 ? ['*', rest[0]] : rest;
    if (typeof pattern !== 'string')
      misuse(`registerSessionHook: pattern wants a text, got ${typeof pattern}`);
    const name = `session_hook::${found.name}`;
    return this.bind('registerSessionHook', name, found, byExpression(pattern, found), handler);
  }

  /** Leaves reminders of its own accord on events it subscribes to. At most eight. */
  registerReminderProvider(provider: ReminderProvider): Dispose {
    return this.providers.add(provider);
  }

  clearToolHooks(): void {
    this.clear('tool');
  }

  clearPersonaHooks(): void {
    this.clear('persona');
  }

  clearSessionHooks(): void {
    this.clear('session');
  }

  clearReminderProviders(): void {
    this.providers.clear();
  }

  private bind(
    who: string,
    name: string,
    event: HarnEvent,
    patterned: PatternCondition,
    handler: (event: never) => unknown,
  ): Dispose {
    if (typeof handler !== 'function') misuse(`${who} wants a function, got ${typeof handler}`);
    return this.hold(event.surface, [this.hook(name, event, patterned, handler)]);
  }

  private hook(
    name: string,
    { event, parameter }: HarnEvent,
    { condition, problem }: PatternCondition,
    handler: (event: never) => unknown,
  ): Hook {
    if (problem !== null) this.warn(`hook "${name}" never matches: ${problem}`);
    const body = handlerBody(handler);
    // A handler that fails is a mistake in the program, and says so where it happens.
    const onError = 'throw';
    return codeHook({
      name,
      event,
      frontEnd: harnFrontEnd,
      onError,
      timeoutMs: this.timeoutMs,
      ...(parameter !== undefined && { threshold: parameter.value }),
      condition,
      body,
    });
  }

  private hold(surface: Surface, hooks: readonly Hook[]): Dispose {
    const removers = hooks.map((hook) => this.registry.add(hook));
    const dispose = () => {
      this.held[surface].delete(dispose);
      for (const remove of removers) remove();
    };
    this.held[surface].add(dispose);
    return dispose;
  }

  private clear(surface: Surface): void {
    for (const dispose of [...this.held[surface]]) dispose();
  }

  private warn(message: string): void {
    this.warnings.push(message);
    this.onWarning?.(message);
  }
}

/** A surface of its own, over a registry of its own or one that has other hooks too. */
export function createHooks(registry?: Registry, options?: HarnOptions): HarnHooks {
  return new HarnHooks(registry, options);
}

function capped({ result }: PostToolUseEvent, limit: number): PostToolAnswer {
  const compacted = compactOutput(result.text, limit);
  if (compacted === null) return null;
  return { result: compacted.text, truncated: true, dropped_bytes: compacted.droppedBytes };
}

function checkToolConfig(config: ToolHookConfig): ToolHookConfig {
  if (typeof config !== 'object' || config === null) misuse('registerToolHook wants an object');
  const unknown = Object.keys(config).find((key) => !TOOL_KEYS.includes(key));
  if (unknown !== undefined) {
    misuse(`registerToolHook has no key ${JSON.stringify(unknown)}${didYouMean(unknown, TOOL_KEYS)}`);
  }
  const { pattern, deny, max_output: limit, pre, post } = config;
  if (pattern !== undefined) checkText('registerToolHook', 'pattern', pattern);
  if (deny !== undefined) checkText('registerToolHook', 'deny', deny);
  if (limit !== undefined && (!Number.isSafeInteger(limit) || limit < 0)) {
    misuse(`registerToolHook: max_output wants a number of bytes, got ${String(limit)}`);
  }
  for (const [key, handler] of Object.entries({ pre, post })) {
    if (handler !== undefined && typeof handler !== 'function') {
      misuse(`registerToolHook: ${key} wants a function, got ${typeof handler}`);
    }
  }
  // A guard that was mistyped away must not look registered.
  if ([deny, limit, pre, post].every((part) => part === undefined)) {
    misuse('registerToolHook wants at least one of deny, max_output, pre, post');
  }
  return config;
}

function checkText(who: string, what: string, value: unknown): void {
  if (typeof value !== 'string' || value.trim() === '')
    misuse(`${who}: ${what} wants a text that is not blank`);
}
