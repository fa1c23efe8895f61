/**
 * From what a person wrote to the canonical event name. Every other spelling is an alias, known here and nowhere else;
 * a name that is none of them is refused with the nearest one.
 */
import { didYouMean } from '../base/index.ts';
import { CATALOG, type CatalogName, eventSpec } from './catalog.ts';

export interface EventParameter {
  /** The payload key the number is compared with. */
  readonly key: string;
  readonly value: number;
}

export type Resolved =
  | { readonly ok: true; readonly event: string; readonly parameter?: EventParameter }
  | { readonly ok: false; readonly message: string; readonly hint: string };

/** `message` is the bare text the artifact schema prescribes; `hint` names the nearest event, or is empty. */
export function resolveEvent(written: string): Resolved {
  const name = written.trim();
  const known = ALIASES.get(name);
  if (known !== undefined) return { ok: true, event: known };
  if (eventSpec(name) !== undefined) return { ok: true, event: name };
  return withParameter(name) ?? invalid(name);
}

/** All accepted spellings of a canonical event, the canonical one not included. */
export function aliasesOf(event: CatalogName): string[] {
  return [...ALIASES].filter(([alias, name]) => name === event && alias !== event).map(([alias]) => alias);
}

const ALIASES = collectAliases();

function collectAliases(): ReadonlyMap<string, CatalogName> {
  const found = new Map<string, CatalogName>();
  for (const event of Object.keys(CATALOG) as CatalogName[]) {
    for (const name of [event, ...CATALOG[event].aliases]) {
      found.set(name, event);
      // The other spellings of `meta.*` would look like names of the host's own events.
      if (event.startsWith('meta.')) continue;
      const words = wordsOf(name);
      found.set(words.join('_'), event);
      found.set(words.map((word) => word[0]!.toUpperCase() + word.slice(1)).join(''), event);
    }
  }
  return found;
}

function wordsOf(name: string): string[] {
  return name
    .replace(/([a-z])([A-Z])/g, '$1_$2')
    .toLowerCase()
    .split(/[._]/);
}

function withParameter(name: string): Resolved | null {
  const parts = /^([^()]+)\(([^()]*)\)$/.exec(name);
  const event = parts === null ? undefined : ALIASES.get(parts[1]!.trim());
  if (event === undefined) return null;
  const key = eventSpec(event)?.parameter;
  if (key === undefined) return { ...invalid(name), hint: `; ${event} takes no number in parentheses` };
  const value = Number(parts![2]!.trim() || Number.NaN);
  if (!Number.isFinite(value) || value < 0)
    return { ...invalid(name), hint: '; want a number in the parentheses' };
  return { ok: true, event, parameter: { key, value } };
}

/**
 * Has the payload's number reached the one in the event's name? Only once, where the payload says which number was reported before.
 */
export function isReached(
  { key, value }: EventParameter,
  payload: Readonly<Record<string, unknown>>,
): boolean {
  const [now, before] = [own(payload, key), own(payload, 'previous')];
  return typeof now === 'number' && now >= value && !(typeof before === 'number' && before >= value);
}

function own(payload: Readonly<Record<string, unknown>>, key: string): unknown {
  return Object.hasOwn(payload, key) ? payload[key] : undefined;
}

function invalid(name: string): Resolved & { ok: false } {
  const message = `event ${JSON.stringify(name)} is invalid`;
  const family = /^(custom|meta|native)\./.exec(name)?.[1];
  if (family !== undefined) {
    return { ok: false, message, hint: `; after "${family}." only a-z, 0-9 and _ are allowed` };
  }
  return { ok: false, message, hint: didYouMean(name, ALIASES.keys()) };
}
