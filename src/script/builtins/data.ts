/**
 * `data`: the tables of the policy, `.harness/data/NAME.yaml` as `data.NAME`. Frozen; a hook sees those of its own layer and
 * of the layers above it, never those of one below.
 */
import type { Json } from '../../base/json.ts';
import { nearest } from '../../base/spelling.ts';
import {
  Live,
  type ReprWriter,
  StarObject,
  type Thread,
  type Value,
  wrapJson,
} from '../../starlark/index.ts';
import { reach } from './reach.ts';

const NO_TABLES: ReadonlyMap<string, Json> = new Map();

class Tables extends StarObject {
  readonly type = 'data';
  private readonly tables: ReadonlyMap<string, Json>;

  constructor(tables: ReadonlyMap<string, Json>) {
    super();
    this.tables = tables;
  }

  override attr(name: string, thread: Thread | null = null): Value | undefined {
    const table = this.tables.get(name);
    return table === undefined ? undefined : wrapJson(table, thread);
  }

  override attrNames(): readonly string[] {
    return [...this.tables.keys()];
  }

  override missingAttr(name: string): string {
    const near = nearest(name, this.attrNames());
    const hint = near === undefined ? '' : ` (did you mean ${near}?)`;
    return `the policy has no data file "${name}"${hint}`;
  }

  override writeRepr(out: ReprWriter): void {
    out.text('<data>');
  }
}

const known = new WeakMap<ReadonlyMap<string, Json>, Tables>();

export const DATA = new Live('data', (thread) => {
  const tables = reach(thread).hook.layer?.data ?? NO_TABLES;
  let value = known.get(tables);
  if (value === undefined) known.set(tables, (value = new Tables(tables)));
  return value;
});
