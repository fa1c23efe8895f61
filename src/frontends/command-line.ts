/**
 * The words of a command line of a hook that may name files, with what is known before it runs put in: the folder it runs in, the home
 * folder, variables that the line itself sets. What else decides which script runs makes the line one that nobody can agree to.
 */
import { machineHost } from '../machine/index.ts';

export interface LineWords {
  readonly words: readonly string[];
  /** The first part that is only known when it runs, as it is written; null: nothing of that kind names a script. */
  readonly unknown: string | null;
}

/** Ways of writing the folder that the line runs in. */
const HERE =
  /\$\((?:pwd(?: -[PL])?|git rev-parse --show-toplevel(?: 2>\s*\/dev\/null)?)\)|`(?:pwd|git rev-parse --show-toplevel)`|\$(?:PWD|\w*(?:PROJECT|PROFILE)_DIR)\b|\$\{(?:PWD|\w*(?:PROJECT|PROFILE)_DIR)\}/g;
const HOME = /\$HOME\b|\$\{HOME\}|(?<=^|[\s"'=:])~(?=\/)/g;
const ASSIGNED = /(?<=^|[;&|(\s])([A-Za-z_]\w*)=("[^"]*"|'[^']*'|(?:\$\([^)]*\)|[^\s;&|()])*)/g;
const LOOP = /\bfor\s+([A-Za-z_]\w*)\s+in\s+((?:\$\([^)]*\)|[^;\n])*)/g;
/**
 * What is only known when it runs (a variable, a substitution, braces with a choice): as the operand of a program that runs it or looks
 * for scripts there, in the place of a program, or before the ending of a script.
 */
const UNKNOWN = [
  /(?:^|[\s;&|(])(?:\.|source|eval|exec|sh|bash|dash|zsh|ksh|node|deno|bun|tsx|python[0-9.]*|ruby|perl|php|run-parts|xargs|command|env|cd|pushd)\s+(?:-[\w-]+\s+)*["']?((?:\$[({\w]|`|[\w./-]*\{[\w./-]*,[\w./,-]*\})[^\s;&|]*)/,
  /(?:^|[;&|(]\s*)["']?((?:\$[({\w]|`|[\w./-]*\{[\w./-]*,[\w./,-]*\})[^\s;&|]*)/,
  /((?:\$[({\w]|`|[\w./-]*\{[\w./-]*,[\w./,-]*\})[^\s;&|]*\.(?:sh|bash|zsh|py|rb|pl|php|lua|[cm]?[jt]sx?|awk)\b)/,
];
const VARIABLE_USE = /\$(?:([A-Za-z_]\w*)|\{([A-Za-z_]\w*)\})([^\s"';&|()]*)/g;
const MOST_ROUNDS = 4;

export function lineWords(line: string): LineWords {
  const known = withVariables(line.replace(HERE, '.').replace(HOME, machineHost.env('HOME') ?? '~'));
  const unknown = UNKNOWN.map((pattern) => pattern.exec(known)?.[1]).find((part) => part !== undefined);
  return { words: shellWords(known), unknown: unknown ?? null };
}

/** The words of a line for the shell that could be paths. */
export function shellWords(line: string): string[] {
  return line.split(/[\s"'`;|&()<>=]+/).filter((word) => word !== '');
}

/** Variables that the line sets once; one that is set again may be anything. */
function withVariables(line: string): string {
  const values = new Map<string, string | null>();
  for (const [, name, value] of [...line.matchAll(ASSIGNED), ...line.matchAll(LOOP)])
    values.set(name!, values.has(name!) ? null : value!.replace(/["']/g, '').trim());
  let text = line;
  for (let round = 0; round < MOST_ROUNDS; round++) {
    const before = text;
    text = text.replace(
      VARIABLE_USE,
      (use, plain: string | undefined, braced: string | undefined, rest: string) => {
        const name = plain ?? braced!;
        const value = values.get(name) ?? null;
        if (value === null || value.includes(`$${name}`)) return use;
        // Of a list, each of its words may come there.
        const each = value.split(/\s+/).map((word) => word + rest);
        return each.join(' ');
      },
    );
    if (text === before) break;
  }
  return text;
}
