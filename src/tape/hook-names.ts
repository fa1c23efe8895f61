/**
 * Where a hook of a tape comes from, if its name alone says it: the policy on the tape lists every hook, so that a decision
 * need not repeat the file and the layer of each.
 */
import { type Hook, layerOf } from '../engine/index.ts';

/** The file of a hook, and the layer of the policy it stands in. */
export interface HookOrigin {
  readonly source: string;
  readonly layer?: string;
}

export interface NamedHook extends HookOrigin {
  readonly event: string;
  readonly name: string;
}

const NOWHERE: HookOrigin = { source: '' };

export class HookNames {
  /** By event and name; null if there are two of that name for one event. */
  private readonly events = new Map<string, Map<string, HookOrigin | null>>();
  private said = new Map<Hook, HookOrigin | undefined>();

  constructor(hooks: Iterable<NamedHook> = []) {
    for (const hook of hooks) this.add(hook);
  }

  add({ event, name, source, layer }: NamedHook): void {
    const names = this.events.get(event) ?? new Map<string, HookOrigin | null>();
    const known = names.get(name);
    const same = known === undefined || (known?.source === source && known.layer === layer);
    names.set(name, same ? { source, ...(layer !== undefined && { layer }) } : null);
    this.events.set(event, names);
    if (this.said.size > 0) this.said = new Map();
  }

  /** What has to be written of it: nothing if the name says it. */
  written(hook: Hook): HookOrigin | undefined {
    if (this.said.has(hook)) return this.said.get(hook);
    const known = this.events.get(hook.event)?.get(hook.name);
    const isSaid = known?.source === hook.source && known.layer === layerOf(hook).name;
    const written = isSaid ? undefined : namedHook(hook);
    this.said.set(hook, written);
    return written;
  }

  read(event: string, name: string): HookOrigin {
    return this.events.get(event)?.get(name) ?? NOWHERE;
  }
}

/** A hook of a program, as the policy on the tape has it. */
export function namedHook(hook: Hook): NamedHook {
  const { event, name, source } = hook;
  return { event, name, source, layer: layerOf(hook).name };
}
