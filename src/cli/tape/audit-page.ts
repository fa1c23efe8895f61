/**
 * The audit as one page that needs nothing else: no script, no font, no address. Everything from a tape is text in it.
 */
import { AUDIT_COLUMNS, type AuditRow } from '../../tape/index.ts';

export function auditPage(rows: readonly AuditRow[], tapes: number, broken: number): string {
  const warning =
    broken === 0
      ? ''
      : `<p class="bad">${broken} of them do not hold together: their rows prove nothing.</p>`;
  return `<!doctype html>
<html lang="en"><head><meta charset="utf-8"><meta name="viewport" content="width=device-width">
<meta http-equiv="Content-Security-Policy" content="default-src 'none'; style-src 'unsafe-inline'">
<title>Audit of tool calls</title><style>
:root{color-scheme:light dark;font:15px/1.5 system-ui,sans-serif}body{margin:2rem;padding:0 1rem}
table{border-collapse:collapse}td,th{text-align:left;vertical-align:top;padding:.15rem .8rem .15rem 0;max-width:30rem;overflow-wrap:anywhere}
tr:nth-child(even){background:#8881}.bad,.blocked,.denied,.refused,.failed,.hidden,.failed_open{color:#cf222e}
</style></head><body><h1>Audit of tool calls</h1>
<p>${rows.length} attempts on ${tapes} tapes. <code>hash</code> is the SHA-256 of the entry's line, <code>prev</code> that of the line before it.</p>
${warning}
<table><thead><tr>${AUDIT_COLUMNS.map((column) => `<th>${column}</th>`).join('')}</tr></thead><tbody>
${rows.map(rowHtml).join('\n')}
</tbody></table></body></html>
`;
}

function rowHtml(row: AuditRow): string {
  const cells = AUDIT_COLUMNS.map((column) => {
    const text = html(textOf(row[column]));
    const style = column === 'verdict' ? row.verdict : column === 'failed_open' ? column : null;
    return style === null ? `<td>${text}</td>` : `<td class="${html(style)}">${text}</td>`;
  });
  return `<tr>${cells.join('')}</tr>`;
}

function textOf(value: AuditRow[keyof AuditRow]): string {
  if (value === null) return '';
  if (typeof value === 'object') return Object.keys(value).length === 0 ? '' : JSON.stringify(value);
  return String(value);
}

const ENTITIES: Readonly<Record<string, string>> = {
  '&': '&amp;',
  '<': '&lt;',
  '>': '&gt;',
  '"': '&quot;',
  "'": '&#39;',
};

function html(text: string): string {
  return text.replace(/[&<>"']/g, (character) => ENTITIES[character]!);
}
