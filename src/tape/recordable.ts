/**
 * A record made fit for JSON: what JSON cannot hold is replaced by `{"$unrecordable": what}`. Always ends, and always gives
 * something that can be written, whatever a hook returned.
 */
/** Less than canonical JSON allows, so that the placeholder itself still fits. */
const MAX_DEPTH = 900;

export function recordable<T>(value: T): T {
  return plain(value, [], 0) as T;
}

function plain(value: unknown, around: readonly object[], depth: number): unknown {
  switch (typeof value) {
    case 'string':
    case 'boolean':
      return value;
    case 'number':
      return Number.isFinite(value) ? value : instead(String(value));
    case 'object':
      if (value === null) return null;
      if (around.includes(value)) return instead('cycle');
      if (depth > MAX_DEPTH) return instead('too deep');
      return recordableAt(value, [...around, value], depth + 1);
    default:
      return instead(typeof value === 'bigint' ? String(value) : typeof value);
  }
}

function recordableAt(value: object, around: readonly object[], depth: number): unknown {
  try {
    if ('toJSON' in value && typeof value.toJSON === 'function') {
      return plain(value.toJSON(), around, depth);
    }
    if (Array.isArray(value)) {
      return Array.from(value, (item) => (item === undefined ? null : plain(item, around, depth)));
    }
    const kept = Object.entries(value).filter(([, held]) => held !== undefined);
    return Object.fromEntries(kept.map(([key, held]) => [key, plain(held, around, depth)]));
  } catch {
    // A getter or a toJSON that throws.
    return instead('raised');
  }
}

function instead(what: string): { $unrecordable: string } {
  return { $unrecordable: what };
}
