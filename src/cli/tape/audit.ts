/**
 * `harness tape audit`: one row for each attempt to call a tool, over a tape or a folder of them, as CSV, JSON lines or a page.
 * The chain of each tape is proved first; what does not hold is said, and the exit code is 1.
 */
import { basename } from 'node:path';
import { compileGlob, HarnessError } from '../../base/index.ts';
import { findTapes, progressOf } from '../../project/index.ts';
import { AUDIT_COLUMNS, type AuditRow, auditTape, verifyTape } from '../../tape/index.ts';
import {
  type Arguments,
  alignColumns,
  type Cell,
  countOf,
  harmless,
  type Output,
  type Run,
  timeOf,
  UsageError,
} from '../../terminal/index.ts';
import { auditPage } from './audit-page.ts';

const FORMS = ['csv', 'jsonl', 'html', 'json'] as const;

export const run: Run = (args, output) => {
  const chosen = FORMS.filter((form) => args.has(form));
  if (chosen.length > 1) throw new UsageError(`--${chosen[0]} and --${chosen[1]} exclude each other`);
  const { files } = findTapes(args.positionals[0]);
  const wanted = filterFrom(args);
  const progress = progressOf('reading', output);
  const found: AuditRow[] = [];
  const form = chosen[0] ?? 'text';
  const write = form === 'csv' ? csvRow : form === 'jsonl' || form === 'json' ? jsonRow : null;
  if (form === 'csv') output.line(AUDIT_COLUMNS.join(','));
  let broken = 0;
  for (const [i, file] of files.entries()) {
    progress(i, files.length);
    const problem = problemOf(file);
    try {
      for (const row of auditTape(file, basename(file))) {
        if (!wanted(row)) continue;
        if (write === null) found.push(row);
        else output.line(write(row));
      }
    } catch (thrown) {
      if (!(thrown instanceof HarnessError)) throw thrown;
      if (problem === null) output.note(`${output.paintNote('red', 'broken')}: ${thrown.message}`);
      broken++;
    }
    if (problem === null) continue;
    broken++;
    output.note(`${output.paintNote('red', 'broken')}: ${problem}`);
  }
  if (form === 'html') output.raw(auditPage(found, files.length, broken));
  if (form === 'text') printTable(found, output);
  return broken === 0 ? 0 : 1;
};

/** Rows of a tape that is not what was written prove nothing, and are shown with that said. */
function problemOf(file: string): string | null {
  const { ok, problem } = verifyTape(file);
  return ok ? null : `${file}: ${problem ?? 'the chain does not hold'}`;
}

function filterFrom(args: Arguments): (row: AuditRow) => boolean {
  const matching = (option: string) => {
    const pattern = args.value(option);
    return pattern === undefined ? null : compileGlob(pattern);
  };
  const [actor, tenant, tool] = ['actor', 'tenant', 'tool'].map(matching);
  const given = args.value('since');
  const since = given === undefined ? null : timeOf(given);
  if (since !== null && Number.isNaN(since))
    throw new UsageError(`--since wants a date or a span such as 7d or 12h, got ${JSON.stringify(given)}`);
  return (row) =>
    (actor == null || (row.actor !== null && actor(row.actor))) &&
    (tenant == null || (row.tenant !== null && tenant(row.tenant))) &&
    (tool == null || tool(row.tool)) &&
    // A row without a time may be of any time.
    (since === null || row.time === null || Date.parse(row.time) >= since);
}

function jsonRow(row: AuditRow): string {
  return JSON.stringify(row);
}

function csvRow(row: AuditRow): string {
  return AUDIT_COLUMNS.map((column) => cell(row[column])).join(',');
}

/**
 * What begins like a formula would be one to a program that opens the file as a sheet. Where sheets are divided by semicolons
 * or tabs, a cell begins after these too: quotes count for nothing there.
 */
const FORMULA = /(^|[;\t\r\n])(?=[=+\-@\uff1d\uff0b\uff0d\uff20])|^(?=[\t\r\n])/g;

function cell(value: AuditRow[keyof AuditRow]): string {
  if (value === null) return '';
  const text =
    typeof value === 'object'
      ? Object.keys(value).length === 0
        ? ''
        : JSON.stringify(value)
      : String(value);
  const safe = text.replace(FORMULA, "$1'");
  return /[",\n\r]/.test(safe) ? `"${safe.replaceAll('"', '""')}"` : safe;
}

const SHOWN_COLUMNS = ['time', 'actor', 'agent', 'tool', 'verdict', 'by', 'reason', 'seq'] as const;

function printTable(rows: readonly AuditRow[], output: Output): void {
  const headings = SHOWN_COLUMNS.map((text): Cell => ({ text, style: 'bold' }));
  const lines = rows.map((row) => SHOWN_COLUMNS.map((column): Cell => ({ text: cellText(row, column) })));
  for (const line of alignColumns([headings, ...lines], output.paint)) output.line(line);
  output.line();
  output.line(countOf(rows.length, 'attempt'));
}

const LONGEST = 60;

function cellText(row: AuditRow, column: (typeof SHOWN_COLUMNS)[number]): string {
  const value = column === 'reason' ? reasonOf(row) : row[column];
  if (value === null || value === '') return '-';
  const text = column === 'time' ? String(value).slice(0, 19).replace('T', ' ') : String(value);
  return harmless(text.length > LONGEST ? `${text.slice(0, LONGEST)}…` : text);
}

/** A call that ran although a guard had failed is not like one that all of them let pass. */
function reasonOf({ reason, failed_open: failed }: AuditRow): string | null {
  return reason ?? (failed === null ? null : `failed open: ${failed}`);
}
