/**
 * What a tool call touches, as far as its name and arguments tell: the commands it would run and the paths it would read,
 * write or delete. Where the name of a tool does not say that it only reads, it is taken to write.
 */
import { isJsonObject, type Json, type JsonObject } from '../../base/json.ts';
import { readShell, type ShellCommand } from '../../match/shell.ts';
import type { Use } from './levels.ts';

export interface Touched {
  /** As written, and each command in them by itself without quotes. */
  readonly commands: readonly string[];
  readonly paths: readonly { readonly path: string; readonly use: Use }[];
}

/** Arguments that are commands, whatever the tool. */
export const COMMAND_KEYS: ReadonlySet<string> = new Set([
  'command',
  'cmd',
  'commands',
  'argv',
  'script',
  'shell',
]);
const PATH_KEY = /path|file|dir|folder|target|source|dest|^(from|to|glob)$/i;
/** `file_text` is no path. */
const CONTENT_KEY = /(text|content|contents|data|body|type|format|encoding)$/i;
const DEEPEST = 6;

const READING = words(
  'read view cat open get list ls dir glob grep search find stat show head tail fetch load',
);
const WRITING = words(
  'write edit append create patch update save put insert replace set copy make touch apply',
);
const DELETING = words('delete remove rm unlink rmdir trash erase purge move rename mv');

export function touchedBy({ name, args }: JsonObject): Touched {
  const touched = { commands: [] as string[], paths: [] as { path: string; use: Use }[] };
  const use = useOf(typeof name === 'string' ? name : '');
  const walk = (value: Json | undefined, key: string, depth: number): void => {
    if (depth > DEEPEST) return;
    if (typeof value === 'string') {
      if (COMMAND_KEYS.has(key)) takeCommand(value, touched, 0);
      else if (PATH_KEY.test(key) && !CONTENT_KEY.test(key)) touched.paths.push({ path: value, use });
    } else if (Array.isArray(value)) {
      // A list of words is one command; what a shell would make of them is not asked.
      if (COMMAND_KEYS.has(key) && value.every((word) => typeof word === 'string')) {
        takeCommand(value.map(quoted).join(' '), touched, 0);
      } else for (const item of value) walk(item, key, depth + 1);
    } else if (isJsonObject(value)) {
      for (const [inner, held] of Object.entries(value)) walk(held, inner, depth + 1);
    }
  };
  walk(args, '', 0);
  return touched;
}

function useOf(tool: string): Use {
  const parts = tool
    .replace(/(?<=[a-z])(?=[A-Z])/g, '_')
    .toLowerCase()
    .split(/[^a-z]+/);
  const has = (set: ReadonlySet<string>) => parts.some((part) => set.has(part));
  if (has(DELETING)) return 'delete';
  return has(READING) && !has(WRITING) ? 'read' : 'write';
}

const DELETERS = words('rm unlink rmdir shred srm trash mv del');
const WRITERS = words('tee cp touch truncate install ln chmod chown chgrp dd rsync patch mkdir ed ex');
/** Run another command with the words that follow them. */
const RUNNERS = words(
  'sudo doas env nohup nice time command exec xargs stdbuf setsid ionice builtin then do else',
);
const SHELLS = words('sh bash zsh dash ksh fish');
const DEEPEST_SHELL = 4;

interface Collected {
  readonly commands: string[];
  readonly paths: { path: string; use: Use }[];
}

function takeCommand(text: string, touched: Collected, depth: number): void {
  touched.commands.push(text);
  if (depth > DEEPEST_SHELL) return;
  const { commands, nested } = readShell(text);
  for (const inner of nested) takeCommand(inner, touched, depth + 1);
  for (const command of commands) {
    const spoken = command.words.join(' ');
    if (spoken !== text) touched.commands.push(spoken);
    takePaths(command, touched);
    const script = scriptIn(command);
    if (script !== null) takeCommand(script, touched, depth + 1);
  }
}

function takePaths({ words: all, redirects }: ShellCommand, touched: Collected): void {
  const use = useOfCommand(all);
  for (const word of all) {
    // `of=/dev/sda` and `--file=x` name a path after the sign.
    for (const path of [word, ...(word.includes('=') ? [word.slice(word.indexOf('=') + 1)] : [])]) {
      if (path !== '') touched.paths.push({ path, use });
    }
  }
  for (const { op, target } of redirects) {
    touched.paths.push({ path: target, use: op.includes('>') ? 'write' : 'read' });
  }
}

function useOfCommand(all: readonly string[]): Use {
  const programs = all.filter((word, at) => at === 0 || !word.startsWith('-')).map(baseName);
  const first = programs.find((word) => !RUNNERS.has(word) && !word.includes('=')) ?? '';
  if (DELETERS.has(first) || all.includes('-delete')) return 'delete';
  // `find … -exec rm`, `git rm`, `git clean`: the deed is a word further on.
  if (
    ['find', 'git', 'xargs'].includes(first) &&
    programs.some((word) => DELETERS.has(word) || word === 'clean')
  ) {
    return 'delete';
  }
  const inPlace = ['sed', 'perl'].includes(first) && all.some((word) => /^-[a-z]*i/.test(word));
  return WRITERS.has(first) || inPlace ? 'write' : 'read';
}

/** What `sh -c` runs, or what a shell is given to read. */
function scriptIn({ words: all, input }: ShellCommand): string | null {
  const shell = all.findIndex((word) => SHELLS.has(baseName(word)));
  if (shell === -1) return null;
  const flag = all.findIndex((word, at) => at > shell && /^-[a-z]*c[a-z]*$/.test(word));
  return (flag === -1 ? input : all[flag + 1]) ?? null;
}

function baseName(word: string): string {
  return word.slice(word.lastIndexOf('/') + 1);
}

function quoted(word: Json): string {
  return `'${String(word).replaceAll("'", `'\\''`)}'`;
}

function words(text: string): ReadonlySet<string> {
  return new Set(text.split(' '));
}
