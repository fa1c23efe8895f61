/**
 * What a server offered when it was first trusted. A tool whose description or schema is another since, or that is new, is another
 * tool than the one somebody agreed to; the same holds for prompts, templates, skills and instructions.
 */
import { digestOf, isJsonObject, type Json, type JsonObject } from '../base/index.ts';
import { byName, type OfferKind, offerLabel, TOOLS } from './offers.ts';

/** `.harness/mcp.lock`, as data. */
export interface Lock {
  readonly version: 1;
  /** Tools, by server. */
  readonly servers: Readonly<Record<string, Pins>>;
  /** What else is offered, by server and kind. */
  readonly offers?: Readonly<Record<string, Readonly<Record<string, Pins>>>>;
}

/** By name. */
export type Pins = Readonly<Record<string, Pin>>;

export interface Pin {
  readonly digest: string;
  /** For people who compare. */
  readonly description: string;
}

export const EMPTY_LOCK: Lock = { version: 1, servers: {} };

export function pinOf(kind: OfferKind, item: JsonObject): Pin {
  const { description } = item;
  return {
    digest: digestOf(kind.definition(item)),
    description: typeof description === 'string' ? description : '',
  };
}

export function pinsOf(kind: OfferKind, items: readonly Json[]): Pins {
  return Object.fromEntries(
    [...byName(kind, items)].flatMap(([name, item]) => (name === '' ? [] : [[name, pinOf(kind, item)]])),
  );
}

/** Null: nothing of the kind was agreed to. */
export function pinsIn({ servers, offers }: Lock, server: string, { kind }: OfferKind): Pins | null {
  const kinds = { ...own(offers, server), ...(own(servers, server) && { [TOOLS.kind]: servers[server]! }) };
  return own(kinds, kind) ?? null;
}

export function withPins(lock: Lock, server: string, { kind }: OfferKind, pins: Pins): Lock {
  if (kind === TOOLS.kind) return { ...lock, servers: { ...lock.servers, [server]: pins } };
  return { ...lock, offers: { ...lock.offers, [server]: { ...own(lock.offers, server), [kind]: pins } } };
}

function own<T>(map: Readonly<Record<string, T>> | undefined, key: string): T | undefined {
  return map !== undefined && Object.hasOwn(map, key) ? map[key] : undefined;
}

/** Why a tool is not the one that was agreed to, or null. */
export function pinProblem(pins: Pins, name: string, tool: Pin | undefined): string | null {
  const pin = Object.hasOwn(pins, name) ? pins[name] : undefined;
  if (pin === undefined) return 'the server did not offer it when it was pinned';
  if (tool === undefined) return 'the server does not offer it any more';
  return pin.digest === tool.digest ? null : 'its definition has changed since it was pinned';
}

export function readLock(text: string): Lock | null {
  try {
    const value = JSON.parse(text) as Json;
    if (!isJsonObject(value) || value.version !== 1 || !isJsonObject(value.servers)) return null;
    const { servers, offers = {} } = value;
    const kinds = isJsonObject(offers) ? Object.values(offers) : [null];
    const sound =
      Object.values(servers).every(arePins) &&
      kinds.every((byKind) => isJsonObject(byKind) && Object.values(byKind).every(arePins));
    return sound ? (value as unknown as Lock) : null;
  } catch {
    return null;
  }
}

function arePins(pins: Json): boolean {
  return (
    isJsonObject(pins) &&
    Object.values(pins).every((pin) => isJsonObject(pin) && typeof pin.digest === 'string')
  );
}

export function writeLock(lock: Lock): string {
  return `${JSON.stringify(lock, null, 2)}\n`;
}

export interface LockChange {
  readonly tool: string;
  readonly change: 'new' | 'gone' | 'changed';
  readonly before: string | null;
  readonly after: string | null;
}

export function lockChanges(kind: OfferKind, before: Pins, after: Pins): LockChange[] {
  const names = [...new Set([...Object.keys(before), ...Object.keys(after)])].sort();
  return names.flatMap((name): LockChange[] => {
    const [was, is] = [own(before, name), own(after, name)];
    if (was?.digest === is?.digest) return [];
    const change = was === undefined ? 'new' : is === undefined ? 'gone' : 'changed';
    const [tool, from, to] = [offerLabel(kind, name), was?.description ?? null, is?.description ?? null];
    return [{ tool, change, before: from, after: to }];
  });
}
