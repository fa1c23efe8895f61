/**
 * An exception from a rule, as a change of the project's harness.md: shown as it would be written, backtested as a draft, and written only
 * over what was shown. The file is read again with the exception in it: a form that cannot be added to is left to a person.
 */
import { hash } from 'node:crypto';
import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { isJsonObject, toData } from '../base/index.ts';
import { parseArtifact, readArtifact } from '../files/index.ts';
import type { Policy } from '../policy/index.ts';
import { knownPacks } from '../project/index.ts';
import { unifiedDiff } from '../terminal/index.ts';
import { type Draft, projectLayer, saveDraft } from './drafts.ts';
import type { ExceptionView } from './server/api.ts';
import { PageError } from './server/app.ts';

const SETTINGS_PATHS = ['harness.md', '.harness/harness.md'];
const LONGEST = 400;

interface Wished {
  readonly rule: string;
  readonly folder: string | null;
  readonly expires: string | null;
  readonly reason: string;
}

export function exceptionView(policy: Policy, body: unknown): ExceptionView {
  const { source, before, after } = changeFor(policy, wishedFrom(body, policy));
  const digest = before === null ? null : hash('sha256', before, 'hex');
  return { source, diff: unifiedDiff(source, before, after), digest };
}

export function exceptionDraft(policy: Policy, body: unknown): Draft {
  const { source, after } = changeFor(policy, wishedFrom(body, policy));
  return { source, text: after };
}

export function saveException(policy: Policy, body: unknown): { readonly source: string } {
  const { digest } = (body ?? {}) as { digest?: unknown };
  return saveDraft(policy, exceptionDraft(policy, body), typeof digest === 'string' ? digest : null);
}

function wishedFrom(body: unknown, policy: Policy): Wished {
  const { rule, folder, expires, reason } = (body ?? {}) as Record<string, unknown>;
  const given = (value: unknown, what: string): string | null => {
    if (value === undefined || value === null || String(value).trim() === '') return null;
    if (typeof value !== 'string' || value.length > LONGEST || /[\0-\x1f]/.test(value))
      throw new PageError(400, `want ${what} on one line, of at most ${LONGEST} characters`);
    return value.trim();
  };
  const name = given(rule, 'a rule');
  const rules = knownPacks(policy).flatMap((pack) => [pack.name, ...pack.rules.map((each) => each.name)]);
  if (name === null || !rules.includes(name))
    throw new PageError(400, `there is no rule ${JSON.stringify(name)}`);
  const day = given(expires, 'a day');
  if (day !== null && !/^\d{4}-\d\d-\d\d$/.test(day))
    throw new PageError(400, `want a day such as 2026-12-31, got ${JSON.stringify(day)}`);
  const why = given(reason, 'a reason');
  if (why === null) throw new PageError(400, 'an exception needs a reason');
  return { rule: name, folder: given(folder, 'a folder'), expires: day, reason: why };
}

function changeFor(policy: Policy, wished: Wished): { source: string; before: string | null; after: string } {
  const { dir } = projectLayer(policy);
  const source = SETTINGS_PATHS.find((each) => existsSync(join(dir, each)));
  const entry = entryText(wished);
  if (source === undefined)
    return { source: SETTINGS_PATHS[1]!, before: null, after: `---\nexceptions:\n  ${entry}\n---\n` };
  const read = readArtifact(dir, source);
  if (!read.ok) throw new PageError(409, `${source} ${read.message}`);
  const after = withEntry(read.text, entry);
  if (after === null || !has(source, after, wished))
    throw new PageError(409, `${source} has exceptions: in a form that is left to you. Add \`${entry}\``);
  return { source, before: read.text, after };
}

/** Texts in quotes: whatever is typed stays one value. */
function entryText({ rule, folder, expires, reason }: Wished): string {
  const fields = [
    `rule: ${rule}`,
    ...(folder === null ? [] : [`folder: ${JSON.stringify(folder)}`]),
    ...(expires === null ? [] : [`expires: ${expires}`]),
    `reason: ${JSON.stringify(reason)}`,
  ];
  return `- {${fields.join(', ')}}`;
}

function withEntry(text: string, entry: string): string | null {
  const lines = text.split('\n');
  const end = lines.indexOf('---', 1);
  if (lines[0] !== '---') return `---\nexceptions:\n  ${entry}\n---\n\n${text}`;
  if (end === -1) return null;
  const at = lines.findIndex((line, nth) => nth < end && /^exceptions:/.test(line));
  if (at === -1) lines.splice(end, 0, 'exceptions:', `  ${entry}`);
  else if (/^exceptions:\s*(?:\[\s*\]\s*)?(?:#.*)?$/.test(lines[at]!)) {
    const indent = /^(\s*)- /.exec(lines[at + 1] ?? '')?.[1] ?? '  ';
    lines[at] = lines[at]!.replace(/\s*\[\s*\]/, '').trimEnd();
    lines.splice(at + 1, 0, indent + entry);
  } else return null;
  return lines.join('\n');
}

/** Whether the file, read with the entry in it, has exactly this exception. */
function has(path: string, text: string, { rule, folder, expires, reason }: Wished): boolean {
  const { map, report } = parseArtifact(path, { ok: true, text }, { noun: '', plainTextIsFine: true });
  const data = map === null || report.failed ? null : toData(map);
  const all = isJsonObject(data) && Array.isArray(data.exceptions) ? data.exceptions : [];
  return all.some(
    (each) =>
      isJsonObject(each) &&
      each.rule === rule &&
      (each.folder ?? null) === folder &&
      String(each.expires ?? '') === (expires ?? '') &&
      each.reason === reason,
  );
}
