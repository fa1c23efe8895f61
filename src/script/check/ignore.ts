/**
 * `# harness: ignore CODE reason`, at the end of the line of a finding or on a line of its own above it. The reason is
 * part of the form: a finding that is accepted without one is not accepted.
 */
import { didYouMean, ERRORS, type SourceFile } from '../../base/index.ts';
import type { Finding } from './finding.ts';

const COMMENT = /#\s*harness:\s*ignore\b[ \t]*([A-Za-z_]*)[ \t]*([^\r\n]*)/;

/** The findings of a file that its author has not accepted, and what is wrong with the comments themselves. */
export function withoutAccepted(file: SourceFile, findings: readonly Finding[]): Finding[] {
  if (findings.length === 0) return [];
  const lines = file.text.split('\n');
  return findings.flatMap((finding) => {
    const { line } = finding.position;
    const own = COMMENT.exec(lines[line - 1] ?? '');
    const above =
      lines[line - 2]?.trimStart().startsWith('#') === true ? COMMENT.exec(lines[line - 2]!) : null;
    const comment = own ?? above;
    if (comment === null) return [finding];
    const [, code = '', reason = ''] = comment;
    if (code === finding.code && reason.trim() !== '') return [];
    const invalid = wrongIn(code, reason);
    return invalid === null ? [finding] : [finding, { ...finding, ...invalid }];
  });
}

function wrongIn(code: string, reason: string): Pick<Finding, 'severity' | 'code' | 'message'> | null {
  const severity = 'warning';
  if (!Object.hasOwn(ERRORS, code)) {
    const hint = didYouMean(code, Object.keys(ERRORS));
    return { severity, code: 'IGNORE_INVALID', message: `there is no code ${JSON.stringify(code)}${hint}` };
  }
  if (reason.trim() !== '') return null;
  const message = `nothing is ignored without a reason: # harness: ignore ${code} because …`;
  return { severity, code: 'IGNORE_INVALID', message };
}
