/**
 * Whether a tool call would change what is guarded: a file tool by its paths, a command by what it writes, moves and deletes. If
 * what a command changes can only be known when it runs, naming a guarded place is enough. Commands of Harness that change
 * what is in force are refused as well: they are for people. So is reading what signs or answers for a person.
 */
import { existsSync } from 'node:fs';
import { basename, relative, resolve } from 'node:path';
import { type JsonObject, quote } from '../base/index.ts';
import {
  accessOfTool,
  commandReadings,
  hasPipedInput,
  isCanonicalName,
  isNameOfAgents,
  type PathAccess,
  pathArguments,
  pathsOfCommand,
} from '../engine/index.ts';
import { isWithin } from '../machine/index.ts';
import type { Command, CommandReading } from '../shell/index.ts';
import { PACKAGE_FOLDER, type Protected } from './protected.ts';
import { UNPACKERS, unpacked } from './protected-archives.ts';
import { copied } from './protected-copies.ts';
import { gitQuestion } from './protected-git.ts';
import { type GlobOptions, globOptionsOf, isPattern, shapesOf } from './protected-globs.ts';
import {
  exported,
  mayRunHarness,
  namesHarness,
  ownOutputs,
  refusedHarness,
  refusedSwitch,
} from './protected-harness.ts';
import { refusedByManager, refusedEdit, refusedManifestCommand, textsIn } from './protected-package.ts';
import { patched } from './protected-patches.ts';
import { guardedFiles, isComputed, LISTING, searchQuestion } from './protected-searches.ts';
import { atHome, type JudgedCall, notForAgent } from './protected-words.ts';

/** Whether there is anything in a call that this would look at: most calls read, or name no path. */
export function mayChange({ name, args, cwd }: Pick<JudgedCall, 'name' | 'args' | 'cwd'>): boolean {
  if (accessOfTool(name) !== 'read' && (pathArguments(args).length > 0 || likePaths(name, args).length > 0))
    return true;
  return commandReadings(args, { cwd }).some(
    ({ reading }) => !reading.complete || reading.commands.some(changes),
  );
}

function changes(command: Command): boolean {
  const { writes, deletes, unsure, code, patch, assigns, args, program } = command;
  return (
    writes.length > 0 ||
    deletes.length > 0 ||
    unsure.length > 0 ||
    UNPACKERS.has(program) ||
    (code !== null && code.language !== 'sh') ||
    assigns.length > 0 ||
    exported(command).length > 0 ||
    program === 'git' ||
    patch !== null ||
    IN_PLACE.test(args.join(' ')) ||
    mayRunHarness(command) ||
    refusedByManager(command) !== null ||
    refusedManifestCommand(command) !== null
  );
}

/** Whether a call says anything that could name what is secret: its name, or that of the folder it stands in. */
export function mayReadSecret({ args }: Pick<JudgedCall, 'args'>, secret: Protected): boolean {
  const marks = secret.paths.files.map((path) => basename(path).toLowerCase());
  const text = JSON.stringify(args).toLowerCase();
  return text.includes('harness') || marks.some((mark) => text.includes(mark));
}

/** Why a call must not run that would read what answers in a person's place, or null. */
export function refusedRead(call: JudgedCall, secret: Protected): string | null {
  secret.remember();
  const { args, cwd, home } = call;
  const reached = (given: string) => secret.reach(atHome(given.trim(), home), cwd) !== null;
  const given = pathArguments(args).find((path) => !path.includes('\0') && reached(path));
  if (given !== undefined) return unread(given);
  for (const { given: words, reading } of commandReadings(args, { cwd })) {
    const named = namedIn(typeof words === 'string' ? words : words.join(' '), secret, call);
    const read = reading.commands.flatMap(({ reads }) => reads).find(reached);
    const place = named ?? read;
    if (place !== undefined) return unread(place);
  }
  return null;
}

function unread(place: string): string {
  return `${quote(place, 200)} holds what answers in a person's place, and is not the agent's to read`;
}

/** What is for a person to see before it runs. */
export interface AskReason {
  readonly ask: string;
}

/** Why a call must not run, or must be asked about; null if neither. */
export function refusedChange(call: JudgedCall, guarded: Protected): string | AskReason | null {
  guarded.remember();
  const place = changedByTool(call, guarded);
  if (place !== null) return notForAgent(place);
  const edited = accessOfTool(call.name) === 'read' ? null : refusedEdit(call.args, call.cwd);
  if (edited !== null) return edited;
  let asked = switchedByFile(call) ?? namedToTool(call, guarded);
  for (const { given, reading } of commandReadings(call.args, { cwd: call.cwd })) {
    const text = typeof given === 'string' ? given : given.join(' ');
    const found = refusedReading(reading, text, call, guarded);
    if (typeof found === 'string') return found;
    asked ??= found;
  }
  return asked;
}

/** The same for a program that a tool starts by itself, when it is too late to ask. */
export function refusedStart(
  given: string | readonly string[],
  call: JudgedCall,
  guarded: Protected,
): string | null {
  const found = refusedChange({ ...call, name: '', args: { command: given as string | string[] } }, guarded);
  return found === null || typeof found === 'string' ? found : found.ask;
}

function changedByTool({ name, args, cwd, home }: JudgedCall, guarded: Protected): string | null {
  const use = useOfCall(name, args);
  if (use === 'read') return null;
  for (const given of pathArguments(args)) {
    const path = atHome(given.trim(), home);
    if (path === '' || path.includes('\0')) continue;
    const found =
      guarded.reach(path, cwd) ??
      (use === 'delete' ? guarded.below(path, cwd) : null) ??
      (/[*?[]/.test(path) ? guarded.meets(path, cwd, use === 'delete') : null);
    if (found !== null) return given;
  }
  return null;
}

const STARTS = /(?:^|\/)\.(?:env(?:rc)?|profile|pam_environment|\w*(?:rc|profile|login|env))$/;
const SETS_SWITCH = /^\s*(?:export\s+|set\s+-\w+\s+)?HARNESS_(?:TRUST|DISABLE|PAUSE)\w*\s*[= ]/m;

/** A file that later shells begin with, and a text for it that sets a variable of Harness. */
function switchedByFile({ name, args }: JudgedCall): AskReason | null {
  if (accessOfTool(name) === 'read') return null;
  const file = pathArguments(args).find((path) => STARTS.test(path.trim()));
  const sets = file !== undefined && textsIn(args).some(({ text }) => SETS_SWITCH.test(text));
  return sets
    ? { ask: `${quote(file, 200)} would set a variable of Harness in every shell that reads it` }
    : null;
}

/** Texts that look like paths, in the arguments of a tool whose keys say nothing: what a server calls a path is its own business. */
function likePaths(name: string, args: JsonObject): readonly string[] {
  if (isCanonicalName(name) || isNameOfAgents(name)) return [];
  const texts = textsIn(args).flatMap(({ text }) => (text.length < LONGEST_PATH ? [text.trim()] : []));
  return texts.filter((text) => PATH_LIKE.test(text)).slice(0, MOST_NAMED);
}

const PATH_LIKE = /^(?:[.~/]|[^\s:]*\/)[^\0\n]*$/;
const LONGEST_PATH = 1024;
const MOST_NAMED = 64;

function namedToTool({ name, args, cwd, home }: JudgedCall, guarded: Protected): AskReason | null {
  if (accessOfTool(name) === 'read') return null;
  const reached = (path: string) =>
    guarded.reach(path, cwd) ?? (accessOfTool(name) === 'delete' ? guarded.below(path, cwd) : null);
  const place = likePaths(name, args).find((text) => reached(atHome(text, home)) !== null);
  return place === undefined
    ? null
    : { ask: `${name} is given ${quote(place, 200)}, which belongs to the policy, and may change it` };
}

/** `edit_file` also deletes and moves: what stands below a folder goes with it. */
function useOfCall(name: string, args: JsonObject): PathAccess {
  const takesAway = args.delete === true || typeof args.to === 'string';
  const use = accessOfTool(name);
  return use === 'write' && takesAway ? 'delete' : use;
}

function refusedReading(
  reading: CommandReading,
  text: string,
  call: JudgedCall,
  guarded: Protected,
): string | AskReason | null {
  const ran = refusedHarness(reading, call, guarded);
  if (ran !== null) return ran;
  let asked: AskReason | null = null;
  const options = globOptionsOf(reading.commands, text, call);
  for (const command of reading.commands) {
    const own = refusedSwitch(command) ?? refusedByManager(command) ?? refusedManifestCommand(command);
    if (own !== null) return own;
    const taken = gitQuestion(command, reading.commands, call, guarded);
    if (taken !== null) asked ??= { ask: taken };
    const place = changedByCommand(command, call, guarded, options);
    if (place !== null) return notForAgent(place);
    if (isElsewhere(command)) continue;
    const contents = [
      patched(command, { at: call.cwd, home: (path) => atHome(path, call.home) }, guarded),
      unpacked(command, call, guarded),
      copied(command, call, guarded, options),
    ];
    for (const found of contents) {
      if (found !== null && 'place' in found) return notForAgent(found.place);
      if (found !== null)
        asked ??= { ask: `${found.unseen}, so nobody can say that it leaves the policy alone` };
    }
    const handed = handedOver(command, reading, call, guarded, options);
    if (handed !== null) asked ??= { ask: handed };
  }
  const unsure = reading.errors.some(({ kind }) => kind !== 'shell' && kind !== 'text');
  if ((unsure || reading.commands.some(isUnsure)) && !reading.commands.every(onlyReads)) {
    const named = namedIn(text, guarded, call);
    if (named !== null)
      return `what the command changes is only known when it runs, and it names ${quote(named, 200)}, which is not the agent's to change`;
  }
  return asked;
}

/** It changes something, and what that is cannot be told from its words. */
function isUnsure(command: Command): boolean {
  const { program, code, writes, deletes, dynamic } = command;
  const open =
    dynamic && [...writes, ...deletes].some((path) => /\$[({]|<\(/.test(path) || hasPipedInput(path));
  if (open && !isComputed(sourcesOf(command))) return true;
  if (code !== null && code.language !== 'sh' && CODE_CHANGES.test(code.text)) return true;
  return (program === 'git' && GIT_CHANGES.has(command.sub(0))) || IN_PLACE.test(command.args.join(' '));
}

function onlyReads(command: Command): boolean {
  return command.program !== '' && !command.dynamic && command.code === null && !changes(command);
}

const CODE_CHANGES =
  /write|remove|unlink|rename|replace|move|copy|rmtree|rmdir|rmsync|truncate|append|chmod|symlink|link|mkdir|touch|save|system|exec|spawn|popen|print[^;]{0,200}>|["'](?:[wax][+bt]*|r[bt]?\+[bt]?)["']/i;
const GIT_CHANGES: ReadonlySet<string> = new Set(
  'checkout restore reset stash clean rm mv revert cherry-pick merge rebase pull switch worktree read-tree checkout-index update-index'.split(
    ' ',
  ),
);
/** Programs nobody has a row for, asked to write what they read. */
const IN_PLACE = /(?:^|\s)(?:--write|--fix|--in-place|--inplace|--overwrite|--apply)(?:[=\s]|$)/;

/** How guarded places are named by those who do not spell them out. */
function namedIn(text: string, guarded: Protected, { home }: JudgedCall): string | null {
  const plain = text.toLowerCase().replace(/["'\\]/g, '');
  const { folders, files, replaceable = [] } = guarded.paths;
  const names = new Set<string>();
  for (const path of [...folders, ...files, ...replaceable]) {
    names.add(path);
    if (home !== null && path.startsWith(`${home}/`)) names.add(`~${path.slice(home.length)}`);
    const own = basename(path);
    // `settings.json` and `hooks` are names of anything.
    if (OWN_NAMES.has(own)) names.add(own);
  }
  if (replaceable.length > 0) names.add(PACKAGE_FOLDER);
  return [...names].find((name) => standsIn(plain, name.toLowerCase())) ?? null;
}

const OWN_NAMES: ReadonlySet<string> = new Set(['.harness', 'harness.md', 'agent.json', 'harn.toml']);

/** As a word or a part of a path: `user-agent.json` is not `agent.json`. */
function standsIn(text: string, name: string): boolean {
  for (let at = text.indexOf(name); at !== -1; at = text.indexOf(name, at + 1)) {
    if (!/[\w-]/.test(text[at - 1] ?? ' ') && !/[\w-]/.test(text[at + name.length] ?? ' ')) return true;
  }
  return false;
}

function isElsewhere({ remote, mounted, via }: Command): boolean {
  return remote && !mounted && !via.includes('ssh');
}

const RECURSIVE_WRITERS: ReadonlySet<string> = new Set(
  'chmod chown chgrp chattr setfacl setfattr gzip bzip2 xz zstd gunzip bunzip2 unxz unzstd'.split(' '),
);

function changedByCommand(
  command: Command,
  call: JudgedCall,
  guarded: Protected,
  options: GlobOptions,
): string | null {
  if (isElsewhere(command)) return null;
  const cwd = command.cwd ?? call.cwd;
  const recursive = RECURSIVE_WRITERS.has(command.program) && command.has('-R', '-r', '--recursive');
  const seen = new Set<string>();
  for (const { path: given, use, some } of pathsOfCommand(command)) {
    if (use === 'read' || seen.has(`${use} ${given}`)) continue;
    seen.add(`${use} ${given}`);
    const path = atHome(given, call.home);
    const above = (use === 'delete' && some !== true) || recursive;
    const found =
      isPattern(path) || /\$[({]/.test(path)
        ? matchesAny(path, cwd, above, guarded, options)
        : ((use === 'delete' ? guarded.reachName(path, cwd) : guarded.reach(path, cwd)) ??
          (above ? guarded.below(path, cwd) : null));
    if (found !== null) return given;
  }
  const unsure = namesHarness(command) ? ownOutputs(command) : [...command.unsure, ...assignedTo(command)];
  return (
    unsure.find((given) => {
      const path = atHome(given, call.home);
      return !path.includes('\0') && !UNKNOWN.test(path) && guarded.reach(path, cwd) !== null;
    }) ?? null
  );
}

/** A program that is told of a place by a variable may write there: `NODE_V8_COVERAGE=.harness node x.js`. */
function assignedTo({ program, assigns }: Command): readonly string[] {
  return program === '' ? [] : assigns.map(({ value }) => value).filter((value) => value !== '');
}

function matchesAny(
  pattern: string,
  cwd: string,
  above: boolean,
  guarded: Protected,
  options: GlobOptions,
): string | null {
  for (const shape of shapesOf(pattern, options)) {
    const found = guarded.meets(shape, cwd, above, options.folds);
    if (found !== null) return found;
  }
  return null;
}

/** A pattern, or what is only known when it runs. */
const UNKNOWN = /[*?[]|\$[({]|\{\}|<\(/;

/** What a search, a list or a pattern hands a command that may write it: why a person has to see it, or null. */
function handedOver(
  command: Command,
  { commands }: CommandReading,
  call: JudgedCall,
  guarded: Protected,
  { dots }: GlobOptions,
): string | null {
  const written = [...command.writes, ...command.deletes, ...command.unsure];
  const cwd = command.cwd ?? call.cwd;
  if (isFind(command) && command.deletes.length > 0)
    return searchQuestion([command], [], call, guarded, { takes: 'files', by: /^-delete$/, dots });
  const pattern = command.unsure.find(
    (path) => /[*?[]/.test(path) && guarded.meets(path, cwd, false) !== null,
  );
  if (pattern !== undefined) return `${pattern} stands for files that belong to the policy`;
  const awk = command.code?.language === 'awk' ? awkTargets(command.code.text) : [];
  const open = awk.find((ending) => guardedFiles(guarded).some((file) => file.endsWith(ending)));
  if (open !== undefined) return 'which files the awk program writes is only known when it runs';
  const walked = walkedByCode(command, cwd, guarded);
  if (walked !== null) return walked;
  if (!written.some((path) => hasPipedInput(path) || /\$[({]/.test(path))) return null;
  const sources = sourcesOf(command);
  const listed = sources.filter(({ program }) => LISTING.has(program)).flatMap(({ reads }) => reads);
  const files = command.via.includes('xargs')
    ? commands
        .filter(({ program }) => program === 'xargs')
        .flatMap((xargs) => [
          ...xargs.values('-a', '--arg-file'),
          ...xargs.redirects.filter(({ op }) => op === '<').map(({ target }) => target),
        ])
    : [];
  return searchQuestion(sources, [...listed, ...files], call, guarded, {
    takes: command.deletes.some(hasPipedInput) && !sparesFolders(command) ? 'trees' : 'folders',
    by: command.via.some((name) => FIND.test(name)) ? /^-(?:exec|ok|f?print|f?ls)/ : /^-f?(?:print|ls)/,
    dots,
  });
}

const FIND = /^g?find$/;
const isFind = ({ program }: Command) => FIND.test(program);

function sparesFolders(command: Command): boolean {
  return /^(?:rm|unlink|shred)$/.test(command.program) && !command.has('-r', '-R', '--recursive');
}

const WALKS =
  /\brglob\b|\bos\.walk\b|\bscandir\b|\breaddir|File::Find\b|\bFind\.find\b|\bwalk(?:Sync|dir)?\s*\(/i;
const REMOVES = /remove|unlink|rmtree|\brm(?:Sync|_rf?|dir)?\s*\(|rename|truncate|chmod/i;

/** Code that removes what it meets below a folder: the endings and patterns among its texts say what it picks out. */
function walkedByCode({ code, args }: Command, cwd: string, guarded: Protected): string | null {
  if (code === null || code.language === 'sh' || !REMOVES.test(code.text)) return null;
  if (![code.text, ...args].some((text) => WALKS.test(text))) return null;
  const texts = [...code.text.matchAll(/["']([^"'\n]{1,200})["']/g)].map(([, text]) => text!);
  const endings = texts.filter((text) => /^\*?\.\w+$/.test(text)).map((text) => text.replace('*', ''));
  const roots = texts.filter((text) => /^\.{0,2}\/|^\.{1,2}$/.test(text) || existsSync(resolve(cwd, text)));
  const tops = (roots.length > 0 ? roots : ['.']).map((root) => resolve(cwd, root));
  const found = guardedFiles(guarded).find(
    (file) =>
      tops.some((top) => isWithin(file, top)) &&
      (endings.length === 0 || endings.some((ending) => file.endsWith(ending))),
  );
  return found === undefined
    ? null
    : `the ${code.language} code may change ${relative(cwd, found)}, which belongs to the policy`;
}

const MOST_SOURCES = 64;

/** Commands whose output reaches a command, through others as well. */
function sourcesOf(command: Command): readonly Command[] {
  const found = new Set(command.sources);
  for (const each of found)
    for (const source of each.sources) if (found.size < MOST_SOURCES) found.add(source);
  return [...found];
}

/** What stands at the end of the names that an awk program writes, where the whole of them is not said; empty if nothing is known. */
function awkTargets(code: string): readonly string[] {
  const found: string[] = [];
  for (const [, target = ''] of code.matchAll(
    /\bprintf?\b(?:[^;{}()\n>"|]|"[^"\n]*"|\([^()\n]*\))*>{1,2}\s*([^;}\n]+)/g,
  )) {
    if (/^\s*"[^"]*"\s*$/.test(target)) continue;
    found.push(/"([^"]*)"\s*\)?\s*$/.exec(target)?.[1] ?? '');
  }
  return found;
}
