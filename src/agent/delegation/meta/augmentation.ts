/**
 * What an agent adds to itself while it runs: tools, hooks and sub-agents, each within a count, each asked about first with
 * its `meta.register_…` event. Additions live as long as the session, and none of them can loosen what was there before.
 */
import { type ErrorCode, HarnessError, type JsonObject } from '../../../base/index.ts';
import type { CatalogName } from '../../../engine/index.ts';
import { fire, throwIfEnded, vetoOf } from '../../loop/fire.ts';
import type { Scope } from '../../loop/state.ts';
import { buildAgent } from './build-agent.ts';
import { buildHook } from './build-hook.ts';
import { buildTool } from './build-tool.ts';

export type AdditionKind = 'tool' | 'hook' | 'agent';

export interface AugmentationSettings {
  /** How many of each may be added. */
  readonly tools: number;
  readonly hooks: number;
  readonly agents: number;
  /** Why a tool of this name is not to be had, or null: what keeps a policy from being gone around by adding a tool. */
  readonly refusesTool: (name: string) => string | null;
}

export const DEFAULT_AUGMENTATION: AugmentationSettings = {
  tools: 50,
  hooks: 30,
  agents: 10,
  refusesTool: () => null,
};

const NAME = /^[a-z][a-z0-9_]{0,63}$/;

/** Something that may be added, once the hooks have been asked. */
export interface Addition {
  /** As its event shows it. */
  readonly payload: JsonObject;
  /** Puts it in its place and returns what takes it away again. */
  readonly add: () => () => void;
}

export type Build = (scope: Scope, spec: JsonObject, known: AddedNames) => Promise<Addition>;

/** What has been added so far, by name. */
export type AddedNames = Record<AdditionKind, Set<string>>;

const KINDS: Readonly<
  Record<AdditionKind, { event: CatalogName; count: 'tools' | 'hooks' | 'agents'; build: Build }>
> = {
  tool: { event: 'meta.register_tool', count: 'tools', build: buildTool },
  hook: { event: 'meta.register_hook', count: 'hooks', build: buildHook },
  agent: { event: 'meta.register_agent', count: 'agents', build: buildAgent },
};

export class Augmentation {
  private readonly settings: AugmentationSettings;
  private readonly known: AddedNames = { tool: new Set(), hook: new Set(), agent: new Set() };
  private removers: (() => void)[] = [];

  constructor(settings: Partial<AugmentationSettings> = {}) {
    this.settings = { ...DEFAULT_AUGMENTATION, ...settings };
  }

  /** Rejects where it is refused or blocked; then nothing has changed. */
  async register(scope: Scope, kind: AdditionKind, spec: JsonObject): Promise<void> {
    const { event, count, build } = KINDS[kind];
    const { name } = spec;
    // What a hook had called, or a tool of a tool, would let a script grow the agent out of sight of the model.
    if ((scope.depth ?? 0) > 0) throw refused(`nothing can be registered from inside meta.call_tool`);
    if (typeof name !== 'string' || !NAME.test(name)) {
      throw refused(
        `the ${kind} name ${JSON.stringify(name ?? null)} is not allowed: want 1 to 64 lower-case letters, digits and _`,
      );
    }
    if (kind === 'tool') {
      const why = this.settings.refusesTool(name);
      if (why !== null) throw refused(`tool "${name}": ${why}`);
    }
    this.requireRoom(kind, name, count);
    const addition = await build(scope, spec, this.known);
    const outcome = await fire(scope, event, addition.payload);
    throwIfEnded(scope);
    if (outcome.failure !== undefined) {
      throw blocked(`${event}: hook "${outcome.failure.hook}" failed: ${outcome.failure.message}`);
    }
    const veto = vetoOf(outcome);
    if (veto !== null) throw blocked(`${event} ${veto}`);
    // Others may have come first while the hooks were asked.
    this.requireRoom(kind, name, count);
    this.removers.push(addition.add());
    this.known[kind].add(name);
  }

  /** Takes everything away again: hooks and agents may stand where other sessions look. */
  forget(): void {
    for (const remove of this.removers.splice(0)) remove();
    for (const names of Object.values(this.known)) names.clear();
  }

  private requireRoom(kind: AdditionKind, name: string, count: 'tools' | 'hooks' | 'agents'): void {
    const held = this.known[kind];
    if (!held.has(name) && held.size >= this.settings[count]) {
      throw refused(`${held.size} ${count} have been registered, which is the limit`);
    }
  }
}

export function refused(message: string): HarnessError {
  return fault('META_REFUSED', `registration refused: ${message}`);
}

function blocked(message: string): HarnessError {
  return fault('META_BLOCKED', message);
}

function fault(code: ErrorCode, message: string): HarnessError {
  return new HarnessError(code, message);
}

/** The text under a key of a specification. */
export function textIn(spec: JsonObject, key: string, what: string): string {
  const value = spec[key];
  if (typeof value === 'string' && value.trim() !== '') return value;
  throw refused(`${what} needs ${key}, a text`);
}
