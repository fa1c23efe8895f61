/**
 * `data`: the tables of the policy, `.harness/data/NAME.yaml` and those fetched for the call as `data.NAME`. Frozen; a hook sees those of its own layer and
 * of the layers above it, never those of one below.
 */
import { type Json, nearest } from '../../base/index.ts';
import {
  Live,
  type ReprWriter,
  StarObject,
  type Thread,
  type Value,
  wrapJson,
} from '../../starlark/index.ts';
import { scriptCallOf } from './reach.ts';

const NO_TABLES: ReadonlyMap<string, Json> = new Map();
const NO_NAMES: ReadonlySet<string> = new Set();

class Tables extends StarObject {
  readonly type = 'data';
  private readonly tables: ReadonlyMap<string, Json>;
  /** Names of tables that are not here unless they were fetched. */
  private readonly remote: ReadonlySet<string>;

  constructor(tables: ReadonlyMap<string, Json>, remote: ReadonlySet<string>) {
    super();
    this.tables = tables;
    this.remote = remote;
  }

  override attr(name: string, thread: Thread | null = null): Value | undefined {
    const table = this.tables.get(name);
    return table === undefined ? undefined : wrapJson(table, thread);
  }

  override attrNames(): readonly string[] {
    return [...new Set([...this.tables.keys(), ...this.remote])];
  }

  override missingAttr(name: string): string {
    if (this.remote.has(name))
      return `the table "${name}" was not fetched: that is done for hooks whose script or condition says data.${name}`;
    const near = nearest(name, this.attrNames());
    const hint = near === undefined ? '' : ` (did you mean ${near}?)`;
    return `the policy has no data file "${name}"${hint}`;
  }

  override writeRepr(out: ReprWriter): void {
    out.text('<data>');
  }
}

const tablesByData = new WeakMap<ReadonlyMap<string, Json>, Tables>();

export const DATA = new Live('data', (thread) => {
  const call = scriptCallOf(thread);
  const { data: tables = NO_TABLES, remote = NO_NAMES } = call.hook.layer ?? {};
  const fetched = call.fetched?.tables;
  if (fetched !== undefined && fetched.size > 0) return new Tables(new Map([...tables, ...fetched]), remote);
  let value = tablesByData.get(tables);
  if (value === undefined) tablesByData.set(tables, (value = new Tables(tables, remote)));
  return value;
});
