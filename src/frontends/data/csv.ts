/**
 * A table of comma-separated values as data: its first line names the columns. A table whose first column is `id` is a dict of
 * rows by that, any other a list of rows. Values are texts; a schema makes them numbers and flags.
 */
import { isJsonObject, type Json, type JsonObject } from '../../base/index.ts';

export type ParsedCsv =
  | { readonly ok: true; readonly value: Json }
  | { readonly ok: false; readonly message: string; readonly line: number };

interface Row {
  readonly line: number;
  readonly cells: readonly string[];
}

export function parseCsv(text: string, schema?: Json): ParsedCsv {
  const rows = rowsOf(text);
  if (!Array.isArray(rows)) return rows as ParsedCsv & { ok: false };
  const [head, ...body] = rows as readonly Row[];
  if (head === undefined) return wrong('want a line with the names of the columns, got nothing', 1);
  const columns = head.cells.map((name) => name.trim());
  const twice = columns.find((name, at) => name === '' || columns.indexOf(name) !== at);
  if (twice !== undefined)
    return wrong(twice === '' ? 'a column has no name' : `two columns are named "${twice}"`, 1);
  const keyed = columns[0] === 'id';
  const types = columnTypes(schema, keyed);
  const records: [string, JsonObject][] = [];
  const seen = new Set<string>();
  for (const { line, cells } of body) {
    if (cells.length !== columns.length)
      return wrong(`want ${columns.length} values, got ${cells.length}`, line);
    const [id = ''] = cells;
    if (keyed && (id === '' || seen.has(id)))
      return wrong(id === '' ? 'id is empty' : `id "${id}" is there twice`, line);
    seen.add(id);
    const record: [string, Json][] = [];
    for (const [at, name] of columns.entries()) {
      const value = typed(cells[at]!, types[name]);
      if (value === undefined)
        return wrong(`${name}: want ${types[name]}, got ${JSON.stringify(cells[at])}`, line);
      record.push([name, value]);
    }
    records.push([id, Object.fromEntries(record)]);
  }
  return { ok: true, value: keyed ? Object.fromEntries(records) : records.map(([, record]) => record) };
}

/** `integer`, `number` and `boolean` of the columns, as the JSON Schema of the table has them. */
function columnTypes(schema: Json | undefined, keyed: boolean): Readonly<Record<string, string>> {
  const table = isJsonObject(schema) ? schema : {};
  const row = keyed ? table.additionalProperties : table.items;
  const columns = isJsonObject(row) && isJsonObject(row.properties) ? row.properties : {};
  return Object.fromEntries(
    Object.entries(columns).flatMap(([name, column]) =>
      isJsonObject(column) && typeof column.type === 'string' ? [[name, column.type]] : [],
    ),
  );
}

/** Undefined if it is not of that type. */
function typed(text: string, type: string | undefined): Json | undefined {
  if (type === 'boolean') return text === 'true' ? true : text === 'false' ? false : undefined;
  if (type !== 'integer' && type !== 'number') return text;
  const number = /^-?\d+(?:\.\d+)?$/.test(text) ? Number(text) : Number.NaN;
  return Number.isFinite(number) && (type === 'number' || Number.isSafeInteger(number)) ? number : undefined;
}

/** Quoted values may hold commas, quotes written twice, and line ends; blank lines are none. */
function rowsOf(text: string): readonly Row[] | ParsedCsv {
  const rows: Row[] = [];
  let cells: string[] = [];
  let line = 1;
  let begun = 1;
  let quoted = false;
  let at = 0;
  const end = () => {
    if (quoted || cells.length > 1 || cells[0] !== '') rows.push({ line: begun, cells });
    cells = [];
    quoted = false;
    begun = line;
  };
  while (at < text.length) {
    if (text[at] === '"') {
      const begin = line;
      quoted = true;
      let value = '';
      for (at++; ; at++) {
        const next = text.indexOf('"', at);
        if (next === -1) return wrong('a quoted value does not end', begin);
        value += text.slice(at, next);
        at = next;
        if (text[at + 1] !== '"') break;
        value += '"';
        at++;
      }
      line += value.split('\n').length - 1;
      at++;
      if (at < text.length && text[at] !== ',' && text[at] !== '\n')
        return wrong('want a comma after a quoted value', line);
      cells.push(value);
    } else {
      let stop = at;
      while (stop < text.length && text[stop] !== ',' && text[stop] !== '\n') stop++;
      const value = text.slice(at, stop);
      if (value.includes('"')) return wrong('a value with a quote in it has to be quoted', line);
      cells.push(value.trim());
      at = stop;
    }
    if (text[at] === '\n' || at >= text.length) {
      line++;
      end();
    }
    const comma = text[at] === ',';
    at++;
    if (comma && at >= text.length) cells.push('');
  }
  if (cells.length > 0) end();
  return rows;
}

function wrong(message: string, line: number): ParsedCsv & { readonly ok: false } {
  return { ok: false, message, line };
}
