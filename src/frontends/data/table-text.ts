/**
 * The text of a table as data, whether it stands in a file or came from elsewhere: JSON, YAML or comma-separated values. What
 * cannot be read is a problem with its place, never a part of a table.
 */
import { type ErrorCode, type Json, type Problem, readJson, toData } from '../../base/index.ts';
import { FileReport, parseYaml } from '../../files/index.ts';
import { parseCsv } from './csv.ts';

export const TABLE_FORMS = ['json', 'yaml', 'csv'] as const;
export type TableForm = (typeof TABLE_FORMS)[number];

export type TableText =
  | { readonly ok: true; readonly value: Json }
  | { readonly ok: false; readonly problem: Problem };

/** By the end of a name; null if it says nothing. */
export function formOf(name: string): TableForm | null {
  const [, end] = /\.([a-z]+)$/.exec(name) ?? [];
  return end === 'yml' ? 'yaml' : (TABLE_FORMS.find((form) => form === end) ?? null);
}

/** `file` is where it comes from, for the problem; the schema gives the columns of a CSV their types. */
export function readTableText(form: TableForm, text: string, file: string, schema?: Json): TableText {
  return FORMS[form](text, file, schema);
}

const FORMS: Readonly<Record<TableForm, (text: string, file: string, schema?: Json) => TableText>> = {
  json(text, file) {
    const read = readJson(text);
    if (read.ok) return read;
    return {
      ok: false,
      problem: problemIn(file, 'CONFIG_INVALID', `is not usable JSON: ${read.message}`, read),
    };
  },
  yaml(text, file) {
    const report = new FileReport(file, text);
    const root = parseYaml({ yaml: text, yamlStart: 0, body: '' }, report, `parse ${file}`);
    return root === null ? { ok: false, problem: report.firstError() } : { ok: true, value: toData(root) };
  },
  csv(text, file, schema) {
    const read = parseCsv(text, schema);
    if (read.ok) return read;
    return {
      ok: false,
      problem: problemIn(file, 'CONFIG_INVALID', read.message, { line: read.line, col: 1 }),
    };
  },
};

export function problemIn(file: string, code: ErrorCode, message: string, at = { line: 1, col: 1 }): Problem {
  const position = { file, line: at.line, col: at.col };
  return { severity: 'error', code, message: `${file}: ${message}`, position };
}
