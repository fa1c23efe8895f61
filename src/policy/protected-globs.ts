/**
 * Patterns for file names on a command line: which plain patterns one stands for under the options of its shell, and which paths
 * it stands for on this disk.
 */
import { existsSync, readdirSync } from 'node:fs';
import { join } from 'node:path';
import { partMatches } from '../base/index.ts';
import type { Command } from '../shell/index.ts';
import type { JudgedCall } from './protected-words.ts';

/** How the shell of a command takes patterns. */
export interface GlobOptions {
  /** A star also stands for names that begin with a dot. */
  readonly dots: boolean;
  /** Letters are matched in either case. */
  readonly folds: boolean;
}

const SHELLS = /^(?:shopt|setopt|unsetopt|set|emulate|(?:ba|z|k|mk|da|a)?sh|ksh93)$/;
const DOTS = /^(?:dotglob|globdots)$/;
const FOLDS = /^nocaseglob$/;
/** Setting one of these makes a star stand for dot files as well. */
const DOT_VARIABLES = /^(?:GLOBIGNORE|FIGNORE)$/;
/** `*(D)`: a star of zsh that stands for dot files too. */
const QUALIFIED = /[*?\]]\([^()\s]{0,40}D[^()\s]{0,40}\)/;
/** Shells in which a dot hides nothing. */
const WINDOWS = /^(?:pwsh|powershell|cmd)$/i;

/** What the commands of a line switch on; a switch that is only known when it runs counts as on. */
export function globOptionsOf(
  commands: readonly Command[],
  text: string,
  { args }: Pick<JudgedCall, 'args'>,
): GlobOptions {
  const assigns = commands.flatMap((command) => command.assigns);
  const switched = [
    ...commands.filter(({ program }) => SHELLS.test(program)).flatMap(switchedOn),
    ...assigns.filter(({ name }) => name === 'BASHOPTS').flatMap(({ value }) => value.split(':')),
  ];
  const shells = [args.shell, ...commands.flatMap(({ via }) => via)];
  return {
    dots:
      switched.some((name) => DOTS.test(name)) ||
      QUALIFIED.test(text) ||
      assigns.some(({ name }) => DOT_VARIABLES.test(name)) ||
      shells.some((shell) => typeof shell === 'string' && WINDOWS.test(shell)),
    folds: switched.some((name) => FOLDS.test(name)),
  };
}

/** Names of options without underscores, in small letters, as zsh compares them; `zsh -4` is short for GLOB_DOTS. */
function switchedOn({ program, args, words }: Command): readonly string[] {
  if (program === 'shopt' && args.some((arg) => /^-\w*u/.test(arg))) return [];
  const isOpen = /opt$/.test(program) && words.some(({ known }) => !known);
  const isShort = program !== 'shopt' && args.some((arg) => /^-\w*4/.test(arg));
  const named = args.map((arg) => arg.toLowerCase().replaceAll('_', ''));
  const on =
    program === 'unsetopt'
      ? named.map((name) => (name.startsWith('no') ? name.slice(2) : `no${name}`))
      : named;
  return isOpen || isShort ? [...on, 'globdots'] : on;
}

const GROUP = /([@?*+!])\(([^()]*)\)/;
const MOST_SHAPES = 64;

/** Whether a word of a command is a pattern. */
export function isPattern(path: string): boolean {
  return /[*?[]|[@+!]\(/.test(path);
}

/** The plain patterns that a pattern stands for: groups of alternatives written out, qualifiers of zsh left out, dots added. */
export function shapesOf(pattern: string, { dots }: GlobOptions): readonly string[] {
  const found = new Set<string>();
  const queue = [pattern];
  for (let shape = queue.pop(); shape !== undefined && found.size < MOST_SHAPES; shape = queue.pop()) {
    const group = GROUP.exec(shape);
    if (group === null) {
      found.add(shape);
      continue;
    }
    const [whole, kind, alternatives = ''] = group;
    const before = shape.slice(0, group.index);
    const after = shape.slice(group.index + whole.length);
    const inner = kind === '!' ? ['*'] : alternatives.split('|');
    if (/[?*]/.test(kind!)) inner.push('');
    for (const each of inner)
      queue.push(`${before}${each}${/[*+]/.test(kind!) && each !== '' ? '*' : ''}${after}`);
    // In zsh `*(D)` is a star with a qualifier.
    if (kind === '*') queue.push(`${before}*${after}`);
  }
  return dots ? [...found].flatMap((shape) => [shape, hidden(shape)]) : [...found];
}

/** What begins with a wildcard, as it stands for names that begin with a dot. */
function hidden(shape: string): string {
  return shape.replace(/(^|\/)(?=[*?[])/g, '$1.');
}

const MOST_FOUND = 2000;

/** The paths that an absolute pattern stands for now; empty if there are none. */
export function pathsMatching(pattern: string, { folds }: GlobOptions): readonly string[] {
  const fold = (text: string) => (folds ? text.toLowerCase() : text);
  let found = ['/'];
  for (const part of pattern.split('/').filter((each) => each !== '')) {
    found = isPattern(part)
      ? found.flatMap((folder) =>
          namesIn(folder)
            .filter((name) => partMatches(fold(part), fold(name)))
            .map((name) => join(folder, name)),
        )
      : found.map((folder) => join(folder, part)).filter((path) => existsSync(path));
    found = found.slice(0, MOST_FOUND);
  }
  return found;
}

function namesIn(folder: string): readonly string[] {
  try {
    return readdirSync(folder);
  } catch {
    return [];
  }
}
