/** A policy file in its one form: an artifact or a Starlark file. */
import { type Problem, SourceFile } from '../base/index.ts';
import { formatFile } from '../starlark/index.ts';
import { formatArtifact } from './format-artifact.ts';
import { FileReport } from './report.ts';

export interface FormattedText {
  /** Null: the file cannot be parsed, and `problems` says why. */
  readonly after: string | null;
  readonly problems: readonly Problem[];
}

/** The text of a file in its one form, by the kind its name says. */
export function formatText(path: string, text: string): FormattedText {
  if (!path.endsWith('.star')) {
    const formatted = formatArtifact(path, text);
    return formatted.ok
      ? { after: formatted.text, problems: [] }
      : { after: null, problems: formatted.problems };
  }
  const formatted = formatFile(new SourceFile(path, text));
  if (formatted.ok) return { after: formatted.text, problems: [] };
  const report = new FileReport(path, text);
  for (const { message, position } of formatted.errors) report.at('SCRIPT_INVALID', message, position);
  return { after: null, problems: report.problems };
}
