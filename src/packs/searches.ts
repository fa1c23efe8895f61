/**
 * What `find` and `fd` search for: the names that everything they find has, as patterns of a shell.
 */
import type { Command } from '../shell/index.ts';

type SearchedNames = (command: Command) => readonly string[] | null;

export const SEARCHES: ReadonlyMap<string, SearchedNames> = new Map<string, SearchedNames>([
  ['find', findNames],
  ['gfind', findNames],
  ['fd', fdNames],
  ['fdfind', fdNames],
  ['git', listedNames],
]);

/** Null if it may find something else as well. */
export function soughtBy(command: Command): readonly string[] | null {
  const names = SEARCHES.get(command.program)?.(command) ?? [];
  return names.length === 0 ? null : names;
}

/** Between `-o`, each part must name one; what is pruned is not found. */
function findNames({ args }: Command): readonly string[] | null {
  const names: string[] = [];
  let own: string[] = [];
  let pruned = false;
  const closed = () => {
    if (!pruned && own.length === 0) return false;
    if (!pruned) names.push(...own);
    own = [];
    pruned = false;
    return true;
  };
  for (let at = 0; at < args.length; at++) {
    const arg = args[at]!;
    const negated = args[at - 1] === '!' || args[at - 1] === '-not';
    if (arg === '-o' || arg === '-or') {
      if (!closed()) return null;
    } else if (/^-i?name$/.test(arg) && !negated) own.push(args[at + 1] ?? '*');
    else if (/^-i?(?:whole)?path$/.test(arg) && !negated) own.push(...pathNames(args[at + 1] ?? '*'));
    else if (/^-i?regex$/.test(arg) && !negated) own.push(plainPattern(args[at + 1] ?? ''));
    else if (arg === '-empty' && !negated) own.push('');
    else if (arg === '-prune') pruned = args.indexOf('-o', at) !== -1;
  }
  return closed() ? names : null;
}

/** The last part, or the folder whose whole content is meant: both name what goes. */
function pathNames(pattern: string): string[] {
  const parts = pattern.split('/').filter((part) => part !== '' && part !== '.' && !/^[*]+$/.test(part));
  return [parts.at(-1) ?? '*'];
}

const VALUED =
  /^-[tdEcSjo]$|^--(?:type|max-depth|min-depth|exclude|color|size|threads|owner|base-directory|changed-within|changed-before)$/;

function fdNames({ args }: Command): readonly string[] | null {
  const names: string[] = [];
  for (let at = 0; at < args.length; at++) {
    const arg = args[at]!;
    if (/^(?:-[xX]|--exec(?:-batch)?)$/.test(arg)) break;
    const extension = /^(?:-e|--extension=?)(.*)$/.exec(arg)?.[1];
    if (extension !== undefined) names.push(`*.${extension === '' ? args[++at] : extension}`);
    else if (VALUED.test(arg)) at++;
    else if (!arg.startsWith('-')) {
      // The pattern is the first operand; folders follow.
      if (arg !== '.' && arg !== '') names.push(plainPattern(arg));
      break;
    }
  }
  return names;
}

/** A pattern of a regular expression as one of a shell, as far as it ends alike: `\\.pyc$`, `^__pycache__$`. */
function plainPattern(pattern: string): string {
  const plain = pattern
    .replace(/^\^|\$$/g, '')
    .replace(/\.\*/g, '*')
    .replace(/\\(.)/g, '$1');
  const name = plain.slice(plain.lastIndexOf('/') + 1);
  return /^\.\w+$/.test(name) && !pattern.startsWith('^') ? `*${name}` : name;
}

/** `git ls-files '*.orig'`. */
function listedNames({ operands }: Command): readonly string[] | null {
  return operands[0] === 'ls-files' ? operands.slice(1).flatMap(pathNames) : null;
}
