/**
 * Which file a hook of a tape comes from, where the name alone says it: the policy on the tape lists every hook, so that a
 * decision need not repeat the path of each.
 */

/** What a hook is known by. */
export interface NamedHook {
  readonly event: string;
  readonly name: string;
  readonly source: string;
}

export class HookNames {
  /** By event and name; null if two files have a hook of that name for one event. */
  private readonly events = new Map<string, Map<string, string | null>>();

  constructor(hooks: Iterable<NamedHook> = []) {
    for (const hook of hooks) this.add(hook);
  }

  add({ event, name, source }: NamedHook): void {
    const names = this.events.get(event) ?? new Map<string, string | null>();
    const known = names.get(name);
    names.set(name, known === undefined || known === source ? source : null);
    this.events.set(event, names);
  }

  /** What has to be written: nothing if the name says it. */
  written(event: string, name: string, source: string): string | undefined {
    return this.events.get(event)?.get(name) === source ? undefined : source;
  }

  read(event: string, name: string): string {
    return this.events.get(event)?.get(name) ?? '';
  }
}
