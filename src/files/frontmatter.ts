/**
 * Splits an artifact into its YAML frontmatter and its body. Offsets are kept, so that everything found in either part
 * can be reported at its place in the file.
 */
import type { ErrorCode } from '../base/index.ts';

export interface Frontmatter {
  readonly yaml: string;
  /** Where `yaml` begins in the file. */
  readonly yamlStart: number;
  /** Documentation for reviewers; never executed and never shown to a model. */
  readonly body: string;
}

export type Split =
  | { readonly ok: true; readonly parts: Frontmatter }
  | { readonly ok: false; readonly code: ErrorCode; readonly message: string; readonly offset: number };

const DELIMITER = /^---[ \t]*$/;

export function splitFrontmatter(text: string): Split {
  if (text.trim() === '') return missing('the file is empty', 0);
  const yamlStart = nextLine(text, 0);
  const first = lineAt(text, 0);
  if (!DELIMITER.test(first)) {
    return missing(withoutOpening(first, text.trimStart()), 0);
  }
  for (let start = yamlStart; start < text.length; start = nextLine(text, start)) {
    const line = lineAt(text, start);
    if (!line.startsWith('---')) continue;
    if (!DELIMITER.test(line)) {
      return unclosed(
        'a line that begins with three dashes must be exactly --- (it closes the frontmatter); indent it if it belongs to a script',
        start,
      );
    }
    const bodyStart = nextLine(text, start);
    if (cutsScript(text, yamlStart, start, bodyStart)) {
      return unclosed(
        'this line closes the frontmatter, but an indented script seems to go on below it; indent dashes that belong to a script',
        start,
      );
    }
    return {
      ok: true,
      parts: { yaml: text.slice(yamlStart, start), yamlStart, body: text.slice(bodyStart) },
    };
  }
  return unclosed('the frontmatter is not closed by a second --- line', 0);
}

/**
 * Whether the dashes at `close` stand inside a script: indented text directly before and after them, and one more
 * closing line further down. A guard cut in half must not load as a smaller guard.
 */
function cutsScript(text: string, yamlStart: number, close: number, bodyStart: number): boolean {
  const before = lineAt(text, text.lastIndexOf('\n', close - 2) + 1);
  if (close === yamlStart || !/^[ \t]+\S/.test(before)) return false;
  if (!/^[ \t]+\S/.test(lineAt(text, bodyStart))) return false;
  return /^---[ \t]*$/m.test(text.slice(bodyStart));
}

function lineAt(text: string, start: number): string {
  const end = text.indexOf('\n', start);
  return text.slice(start, end === -1 ? text.length : end);
}

function nextLine(text: string, start: number): number {
  const end = text.indexOf('\n', start);
  return end === -1 ? text.length : end + 1;
}

function withoutOpening(first: string, trimmed: string): string {
  if (first.startsWith('---')) return `its first line is ${JSON.stringify(first.trim())}`;
  if (DELIMITER.test(lineAt(trimmed, 0))) return 'there is white space before it';
  return 'it has no frontmatter';
}

function missing(what: string, offset: number): Split {
  const message = `missing frontmatter: the file must start with a --- line, but ${what}`;
  return { ok: false, code: 'FRONTMATTER_MISSING', message, offset };
}

function unclosed(message: string, offset: number): Split {
  return { ok: false, code: 'FRONTMATTER_UNCLOSED', message, offset };
}

/** The first sentence of the first paragraph of prose: what `harness hooks` prints beside a hook. */
export function firstSentence(body: string): string | undefined {
  let fenced = false;
  const paragraph: string[] = [];
  for (const raw of body.split('\n')) {
    const line = raw.trim();
    if (/^(```|~~~)/.test(line)) {
      fenced = !fenced;
      continue;
    }
    const prose = !fenced && line !== '' && !/^(#|<!--|\||[-*_]{3,}$|={3,}$)/.test(line);
    if (prose) paragraph.push(line);
    else if (paragraph.length > 0) break;
  }
  if (paragraph.length === 0) return undefined;
  const text = paragraph.join(' ');
  const end = text.search(/[.!?](\s|$)/);
  return end === -1 ? text : text.slice(0, end + 1);
}
