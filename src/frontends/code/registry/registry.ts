/**
 * The hook registry of an embedding program: functions and commands bound to the events of the agent loop, run in the
 * order in which they were registered.
 */
import { didYouMean, HarnessError } from '../../../base/index.ts';
import { type Body, Registry } from '../../../engine/index.ts';
import { commandBody } from '../../command/body.ts';
import { git } from '../../command/contract.ts';
import { checkTimeout, codeHook, misuse } from '../code-hook.ts';
import { type HookContexts, type HookEvent, LOOM_EVENTS } from './context.ts';
import { type HookResult, loomFrontEnd } from './result.ts';

export type HookFn<E extends HookEvent = HookEvent> = (
  context: HookContexts[E],
) => HookResult | PromiseLike<HookResult>;

export type HookSpec<E extends HookEvent = HookEvent> =
  | {
      readonly type: 'fn';
      readonly name: string;
      readonly fn: HookFn<E>;
      /** 5000 by default. Too late is a block. */
      readonly timeoutMs?: number;
    }
  | {
      readonly type: 'command';
      readonly name: string;
      /** A line for the shell. It gets the context as JSON on stdin; exit 0 allows, anything else blocks. */
      readonly command: string;
      readonly timeoutMs?: number;
    };

export interface HookRegistryOptions {
  /** Where the hooks go: a registry that has hooks of other front ends too makes one chain of all. */
  readonly into?: Registry;
}

interface Entry {
  readonly event: HookEvent;
  readonly spec: HookSpec;
  readonly remove: () => void;
}

const EVENTS = Object.keys(LOOM_EVENTS) as HookEvent[];

export class HookRegistry {
  /** The pipeline's registry behind this one. */
  readonly chain: Registry;
  private entries: Entry[] = [];

  constructor({ into = new Registry() }: HookRegistryOptions = {}) {
    this.chain = into;
  }

  register<E extends HookEvent>(event: E, spec: HookSpec<E>): this {
    if (!Object.hasOwn(LOOM_EVENTS, event)) {
      const hint = didYouMean(String(event), EVENTS);
      throw new HarnessError('EVENT_UNKNOWN', `event ${JSON.stringify(event)} is invalid${hint}`);
    }
    const hook = codeHook({
      name: nameOf(spec),
      event: LOOM_EVENTS[event].canonical,
      frontEnd: loomFrontEnd,
      onError: 'block',
      timeoutMs: checkTimeout(`hook "${spec.name}"`, spec.timeoutMs),
      body: bodyOf(spec as HookSpec),
    });
    this.entries.push({ event, spec: spec as HookSpec, remove: this.chain.add(hook) });
    return this;
  }

  /** The hooks of an event in the order they run. */
  for<E extends HookEvent>(event: E): readonly HookSpec<E>[] {
    return this.entries.filter((entry) => entry.event === event).map((entry) => entry.spec as HookSpec<E>);
  }

  has(event: HookEvent): boolean {
    return this.entries.some((entry) => entry.event === event);
  }

  get size(): number {
    return this.entries.length;
  }

  /** Removes what was registered here; hooks of others in the same chain stay. */
  clear(): void {
    for (const entry of this.entries.splice(0)) entry.remove();
  }
}

function nameOf({ name }: HookSpec<never>): string {
  if (typeof name === 'string' && name.trim() !== '') return name;
  return misuse('a hook wants a name that is not blank');
}

function bodyOf(spec: HookSpec): Body {
  if (spec.type === 'fn') {
    const { fn } = spec;
    if (typeof fn !== 'function') misuse(`hook "${spec.name}": fn wants a function, got ${typeof fn}`);
    return (seen) => fn(seen as never);
  }
  if (spec.type === 'command') {
    const { command } = spec;
    if (typeof command !== 'string' || command.trim() === '') {
      misuse(`hook "${spec.name}": command wants a line for the shell`);
    }
    return (seen, call) =>
      commandBody({ contract: git, program: { shell: command }, cwd: call.run.session.cwd ?? '.' })(
        seen,
        call,
      );
  }
  const type = String((spec as { type?: unknown }).type);
  return misuse(`hook "${(spec as HookSpec).name}": type wants fn or command, got ${type}`);
}
