/**
 * One rule of patterns.yaml, ready to be held against what a call touches.
 */

import { compileParts, compileRegex, type PartsMatch, partMatches, partsOf } from '../../base/index.ts';
import type { Host } from '../../machine/index.ts';
import type { Level } from './levels.ts';
import type { TouchedPaths } from './touched.ts';

export interface RuleLocation {
  /** Absolute: what patterns are relative to. */
  readonly project: string;
  /** Absolute: what the paths of a call are relative to. */
  readonly cwd: string;
  /** What `~` stands for; it stays as it is where nobody knows. */
  readonly home: string;
}

/** What the rule objects to, or null. */
export type Rule = (touched: TouchedPaths, place: RuleLocation) => Match | null;

export interface Match {
  readonly pattern: string;
  readonly reason: string | null;
  /** The command or path. */
  readonly detail: string;
  /** It may be meant: what the command deletes is only known when it runs. */
  readonly unsure?: true;
}

export type MadeRule =
  | { readonly ok: true; readonly rule: Rule }
  | { readonly ok: false; readonly message: string };

export function makeRule(level: Level, pattern: string, reason: string | null): MadeRule {
  return level.section === 'commands'
    ? commandRule(pattern, reason)
    : { ok: true, rule: pathRule(level, pattern, reason) };
}

function commandRule(pattern: string, reason: string | null): MadeRule {
  const regex = compileRegex(pattern);
  if (!regex.ok) return regex;
  return {
    ok: true,
    rule: ({ commands }) => {
      const detail = commands.find((command) => regex.test(command));
      return detail === undefined ? null : { pattern, reason, detail };
    },
  };
}

function pathRule({ uses }: Level, pattern: string, reason: string | null): Rule {
  let made: { readonly place: string; readonly test: PartsMatch; readonly fixed: readonly string[] } | null =
    null;
  return ({ paths, unknownDeletes }, place) => {
    const key = `${place.project}\n${place.home}`;
    if (made?.place !== key) {
      const parts = patternParts(pattern, place);
      made = { place: key, test: compileParts(parts), fixed: fixedParts(parts, place) };
    }
    let above: string | undefined;
    for (const { path, use, some } of paths) {
      if (!uses.includes(use)) continue;
      const parts = pathParts(path, place);
      // Deleting a folder deletes what is in it; a search below it may.
      const holds = use === 'delete' && isAbove(parts, made.fixed);
      if (made.test(parts) || (holds && some !== true)) return { pattern, reason, detail: path };
      if (holds) above ??= path;
    }
    const detail = above ?? (uses.includes('delete') ? unknownDeletes[0] : undefined);
    return detail === undefined ? null : { pattern, reason, detail, unsure: true };
  };
}

/** A pattern without a slash is a name, wherever it is; any other stands below the project, the home folder or the top. */
function patternParts(pattern: string, { project, home }: RuleLocation): string[] {
  const trimmed = pattern.replace(/\/+$/, '');
  if (!trimmed.includes('/') && trimmed !== '~') return ['**', trimmed];
  if (trimmed.startsWith('**/')) return trimmed.split('/');
  return pathParts(trimmed, { project, cwd: project, home });
}

function pathParts(path: string, { cwd, home }: RuleLocation): string[] {
  const whole = path.replace(/^file:\/\//, '').replaceAll('\\', '/');
  if (whole === '~' || whole.startsWith('~/')) return partsOf(home + whole.slice(1));
  const absolute = whole.startsWith('/') || /^[A-Za-z]:\//.test(whole);
  return partsOf(absolute ? whole : `${cwd}/${whole}`);
}

/** Up to the first part that stands for more than itself. A name that may be anywhere is at least in the project. */
function fixedParts(parts: readonly string[], { project }: RuleLocation): readonly string[] {
  const [first, name] = parts;
  if (parts.length === 2 && first === '**' && !/[*?[]/.test(name!)) return [...partsOf(project), name!];
  const open = parts.findIndex((part) => /[*?[]/.test(part));
  return open === -1 ? parts : parts.slice(0, open);
}

function isAbove(folder: readonly string[], inner: readonly string[]): boolean {
  return (
    inner.length > 0 &&
    folder.length <= inner.length &&
    folder.every((part, at) => partMatches(part, inner[at]!))
  );
}

export function homeOf(host: Pick<Host, 'env'>): string {
  return host.env('HOME') ?? host.env('USERPROFILE') ?? '~';
}
