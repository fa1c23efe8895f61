/**
 * Definitions of tools as they were when the server was first trusted. A tool whose description or schema is another since,
 * or that is new, is another tool than the one somebody agreed to.
 */
import { digestOf } from '../../base/digest.ts';
import { isJsonObject, type Json, type JsonObject } from '../../base/json.ts';

/** `.harness/mcp.lock`, as data. */
export interface Lock {
  readonly version: 1;
  readonly servers: Readonly<Record<string, Readonly<Record<string, Pin>>>>;
}

export interface Pin {
  readonly digest: string;
  /** For people who compare. */
  readonly description: string;
}

export const EMPTY_LOCK: Lock = { version: 1, servers: {} };

/** Everything the model or the client acts on. */
const PINNED = [
  'name',
  'title',
  'description',
  'inputSchema',
  'outputSchema',
  'annotations',
  'execution',
] as const;

export function definitionOf(tool: JsonObject): JsonObject {
  return Object.fromEntries(PINNED.flatMap((key) => (tool[key] === undefined ? [] : [[key, tool[key]]])));
}

export function pinOf(tool: JsonObject): Pin {
  const { description } = tool;
  return {
    digest: digestOf(definitionOf(tool)),
    description: typeof description === 'string' ? description : '',
  };
}

export function pinsOf(tools: readonly Json[]): Record<string, Pin> {
  return Object.fromEntries(
    tools.flatMap((tool) =>
      isJsonObject(tool) && typeof tool.name === 'string' ? [[tool.name, pinOf(tool)]] : [],
    ),
  );
}

/** Why a tool is not the one that was agreed to, or null. */
export function pinProblem(
  pins: Readonly<Record<string, Pin>>,
  name: string,
  tool: Pin | undefined,
): string | null {
  const pin = Object.hasOwn(pins, name) ? pins[name] : undefined;
  if (pin === undefined) return 'the server did not offer it when it was pinned';
  if (tool === undefined) return 'the server does not offer it any more';
  return pin.digest === tool.digest ? null : 'its definition has changed since it was pinned';
}

export function readLock(text: string): Lock | null {
  try {
    const value = JSON.parse(text) as Json;
    if (!isJsonObject(value) || value.version !== 1 || !isJsonObject(value.servers)) return null;
    const sound = Object.values(value.servers).every(
      (pins) =>
        isJsonObject(pins) &&
        Object.values(pins).every((pin) => isJsonObject(pin) && typeof pin.digest === 'string'),
    );
    return sound ? (value as unknown as Lock) : null;
  } catch {
    return null;
  }
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

export function lockChanges(
  before: Readonly<Record<string, Pin>>,
  after: Readonly<Record<string, Pin>>,
): LockChange[] {
  const names = [...new Set([...Object.keys(before), ...Object.keys(after)])].sort();
  return names.flatMap((tool): LockChange[] => {
    const [was, is] = [before[tool], after[tool]];
    if (was?.digest === is?.digest) return [];
    const change = was === undefined ? 'new' : is === undefined ? 'gone' : 'changed';
    return [{ tool, change, before: was?.description ?? null, after: is?.description ?? null }];
  });
}
