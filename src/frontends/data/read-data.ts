/**
 * Reads the tables of a folder: `NAME.yaml`, `NAME.json` or `NAME.csv`, each held against `NAME.schema.json` if there is one.
 * A hook that cannot see its table cannot judge: whatever is wrong with one blocks every gate until it is put right.
 */
import { type ErrorCode, isJsonObject, type Json, type Problem } from '../../base/index.ts';
import { frozenCopy, problemsOf, schemaFault } from '../../engine/index.ts';
import { type FolderSnapshot, LEADS_OUT, leadsOut, reason } from '../../files/index.ts';
import type { BrokenHook, ReadResult, SingleFileSchema } from '../project-reader.ts';
import { formOf, problemIn, readTableText, type TableForm } from './table-text.ts';

const TABLE = /^([a-z_][a-z0-9_]*)\.(?:yaml|yml|json|csv)$/;
const SCHEMA = /^([a-z_][a-z0-9_]*)\.schema\.json$/;

/** Of a folder, so that a thousand files of a megabyte are none. */
const MOST_FILES = 200;

export function readData(snapshot: FolderSnapshot, folder: string): ReadResult {
  const reading = new Folder(snapshot, folder);
  reading.read();
  const { problems, broken, files, data, schemas } = reading;
  return { hooks: [], broken, problems, files, data, schemas };
}

class Folder {
  readonly problems: Problem[] = [];
  readonly broken: BrokenHook[] = [];
  readonly files: string[] = [];
  readonly data = new Map<string, Json>();
  readonly schemas = new Map<string, SingleFileSchema>();
  private readonly snapshot: FolderSnapshot;
  private readonly folder: string;

  constructor(snapshot: FolderSnapshot, folder: string) {
    this.snapshot = snapshot;
    this.folder = folder;
  }

  read(): void {
    const names = this.names();
    if (names === null) return;
    if (names.length > MOST_FILES) {
      this.refuse(
        this.folder,
        'CONFIG_INVALID',
        `${names.length} files are more than the ${MOST_FILES} a policy may have`,
      );
      return;
    }
    const schemas = new Set(names.filter((name) => SCHEMA.test(name)).map((name) => SCHEMA.exec(name)![1]!));
    for (const name of names) {
      if (name.startsWith('.')) continue;
      this.files.push(`${this.folder}/${name}`);
      if (SCHEMA.test(name)) continue;
      const [, table] = TABLE.exec(name) ?? [];
      if (table === undefined) this.stray(name);
      else this.table(name, table, schemas.has(table));
    }
    for (const name of schemas)
      if (!names.some((each) => TABLE.exec(each)?.[1] === name)) this.loneSchema(name);
  }

  private names(): readonly string[] | null {
    const listing = this.snapshot.list(this.folder);
    if (listing.ok) return listing.names;
    this.refuse(this.folder, 'FILE_UNREADABLE', `cannot be read: ${reason(listing.thrown)}`);
    return null;
  }

  private table(name: string, table: string, hasSchema: boolean): void {
    const file = `${this.folder}/${name}`;
    const schema = hasSchema ? this.value('json', `${this.folder}/${table}.schema.json`) : undefined;
    const value = this.value(formOf(name)!, file, schema);
    // What is wrong has been said.
    if (value === undefined || (hasSchema && schema === undefined)) return;
    if (this.data.has(table)) {
      this.refuse(file, 'CONFIG_INVALID', `there is another data file of the name "${table}"`);
      return;
    }
    const wrong = hasSchema ? faultIn(table, schema!, value) : null;
    if (wrong !== null) this.refuse(file, 'CONFIG_INVALID', wrong);
    else this.data.set(table, frozenCopy(value));
  }

  private loneSchema(name: string): void {
    const file = `${this.folder}/${name}.schema.json`;
    const schema = this.value('json', file);
    if (schema === undefined) return;
    const wrong = isJsonObject(schema) ? schemaFault(schema, schema) : NO_SCHEMA;
    if (wrong !== null) {
      this.refuse(file, 'CONFIG_INVALID', wrong);
      return;
    }
    const lone = `there is no data file "${name}" that this schema is for, and no table of that name in harness.md`;
    this.schemas.set(name, { schema, broken: this.brokenBy(file, problemIn(file, 'CONFIG_INVALID', lone)) });
  }

  private text(file: string): string | undefined {
    const read = leadsOut(this.snapshot.dir, file)
      ? { ok: false as const, code: 'FILE_UNREADABLE' as const, message: `cannot be read: ${LEADS_OUT}` }
      : this.snapshot.text(file);
    if (read.ok) return read.text;
    this.refuse(file, read.code, read.message);
    return undefined;
  }

  private value(form: TableForm, file: string, schema?: Json): Json | undefined {
    const text = this.text(file);
    if (text === undefined) return undefined;
    const read = readTableText(form, text, file, schema);
    if (read.ok) return read.value;
    this.give(file, read.problem);
    return undefined;
  }

  private stray(name: string): void {
    const file = `${this.folder}/${name}`;
    const message = `${file} is not read: a data file is lower_case.yaml, .json or .csv`;
    this.problems.push({
      severity: 'warning',
      code: 'FILE_STRAY',
      message,
      position: { file, line: 1, col: 1 },
    });
  }

  private refuse(file: string, code: ErrorCode, message: string): void {
    this.give(file, problemIn(file, code, message));
  }

  private give(file: string, problem: Problem): void {
    this.problems.push(problem);
    this.broken.push(this.brokenBy(file, problem));
  }

  private brokenBy(file: string, problem: Problem): BrokenHook {
    const position = this.broken.length + this.schemas.size;
    return {
      name: file,
      event: null,
      priority: 0,
      mode: 'enforce',
      source: file,
      position,
      frontEnd: 'data',
      problem,
    };
  }
}

const NO_SCHEMA = 'its schema is no JSON Schema';

/** What of a table does not fit its schema, or cannot be told by it; null if all fits. */
export function faultIn(table: string, schema: Json, value: Json): string | null {
  if (!isJsonObject(schema)) return NO_SCHEMA;
  const fault = schemaFault(schema, schema);
  if (fault !== null) return fault;
  const problems = problemsOf(schema, value, table);
  return problems.length === 0 ? null : problems.join('; ');
}
