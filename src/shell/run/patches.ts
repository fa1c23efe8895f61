/**
 * Where the patch comes from that `git apply`, `git am` or `patch` applies: texts of this line, files that were there before
 * it, or something that only shows when it runs.
 */
import type { ShellCommand } from '../command.ts';
import type { Alt, Field } from '../known/values.ts';
import { resolvePath } from '../paths.ts';
import type { CommandPatch } from '../reading.ts';
import type { Run } from './run.ts';
import type { Started } from './start.ts';

/** Sub-commands; none: the program itself applies patches. */
const APPLIERS: ReadonlyMap<string, readonly string[] | null> = new Map([
  ['git', ['apply', 'am']],
  ['hg', ['import', 'patch']],
  ['svn', ['patch']],
  ['git-apply', null],
  ['git-am', null],
  ['patch', null],
  ['gpatch', null],
  ['apply_patch', null],
]);
/** With these it says what it would do. */
const ONLY_LOOKS = ['--stat', '--numstat', '--summary', '--check', '--dry-run'];
/** They hand on what they read; what comes from git's own history is looked at no more than a checkout of it. */
const HANDS_ON: ReadonlySet<string> = new Set('cat head tail tee cp mv ln install'.split(' '));
const OF_HISTORY: ReadonlySet<string> = new Set('diff show log format-patch stash diff-tree'.split(' '));

export function patchOf(run: Run, started: Started, command: ShellCommand): CommandPatch | null {
  const subs = APPLIERS.get(command.program);
  if (subs === undefined || (subs !== null && !subs.includes(command.sub(0)))) return null;
  if (command.has(...ONLY_LOOKS) && !command.has('--apply')) return null;
  const found = new PatchCollector(run, started, command, subs === null ? 0 : 1);
  return found.patch;
}

class PatchCollector {
  private readonly texts: string[] = [];
  private readonly files: string[] = [];
  private seen = true;
  private base: string | null;
  private readonly run: Run;
  private readonly started: Started;
  private readonly command: ShellCommand;

  constructor(run: Run, started: Started, command: ShellCommand, subs: number) {
    this.run = run;
    this.started = started;
    this.command = command;
    this.base = started.state.cwd;
    const { options, operands } = command.layout;
    const sub = operands[subs - 1] ?? 0;
    for (const { name, value, at } of options) {
      const moves = name === '-C' ? at < sub : /^(?:-d|--directory)$/.test(name) && subs === 0;
      if (moves && value !== null) this.base = isKnown(value) ? resolvePath(this.base, value) : null;
    }
    this.look(operands.slice(subs).map((at) => command.words[at]!));
  }

  get patch(): CommandPatch {
    const { base, texts, files, seen, command } = this;
    const strip = /^\d+$/.exec(this.value('-p', '--strip') ?? '')?.[0];
    const git = command.program.startsWith('git');
    return {
      base,
      below: git ? (this.value('--directory') ?? '') : '',
      git,
      strip: strip === undefined ? null : Number(strip),
      texts,
      files,
      seen: seen && base !== null && !UNKNOWN_PIECE.test(this.changed(base)),
    };
  }

  /** What the command itself says of the folder. */
  private changed(base: string): string {
    const { given } = this.started.state;
    return base.startsWith(given) ? base.slice(given.length) : base;
  }

  private value(...names: string[]): string | undefined {
    return this.command.layout.options.find(({ name }) => names.includes(name))?.value?.text;
  }

  private look(operands: readonly Field[]): void {
    const { program, layout } = this.command;
    if (program === 'apply_patch' && operands.length > 0) {
      this.alts(operands);
      return;
    }
    // `patch FILE PATCH`: the first is what it changes.
    const ownFile = program === 'patch' || program === 'gpatch' ? 1 : 0;
    const given = layout.options.flatMap(({ name, value }) =>
      /^(?:-i|--input)$/.test(name) && value !== null ? [value] : [],
    );
    const all = [...operands.slice(ownFile), ...given];
    for (const word of all) if (word.text !== '-') this.file(word);
    if (all.length === 0 || all.some(({ text }) => text === '-')) this.input();
  }

  private file(word: Field): void {
    if (!isKnown(word)) this.seen = false;
    else this.path(resolvePath(this.base, word));
  }

  private path(path: string): void {
    const written = this.run.written(path, this.started.frame);
    if (written === undefined) this.files.push(path);
    else if (written.alts.some(({ text }) => text !== '')) this.alts(written.alts);
    else
      this.madeBy(
        written.from.flatMap(([from, to]) => this.run.commands.slice(from, to)),
        written.from.length > 0,
      );
  }

  private input(): void {
    const { kind, alts, path, from } = this.started.input;
    if (alts !== null) this.alts(alts);
    else if (kind === 'file' && path !== null) this.path(path);
    else if (kind !== 'inherited')
      this.madeBy(
        from.flatMap(([first, last]) => this.run.commands.slice(first, last)),
        from.length > 0,
      );
  }

  private alts(alts: readonly Alt[]): void {
    for (const { text, known } of alts) {
      this.texts.push(text);
      this.seen &&= known;
    }
  }

  /** Commands whose output it is, through others as well. */
  private madeBy(commands: readonly ShellCommand[], some: boolean): void {
    if (!some) this.seen = false;
    const all = new Set(commands);
    all.delete(this.command);
    for (const each of all) {
      const { program, sources } = each;
      if (HANDS_ON.has(program)) {
        this.files.push(...each.reads, ...each.deletes);
        if (each.dynamic) this.seen = false;
      } else if (!(program === 'git' && isHistory(each)) && !each.wrapper && program !== '')
        this.seen = false;
      for (const source of sources) all.add(source);
    }
  }
}

const UNKNOWN_PIECE = /\$[({]|<\(/;

/** A pattern for file names counts, also one that a variable of a loop goes through. */
function isKnown({ text, known }: Field): boolean {
  return (known || /[*?[]|^\/dev\/fd\/\d+$/.test(text)) && !UNKNOWN_PIECE.test(text);
}

/** `git show x:file` prints any file, and `--no-index` compares any two. */
function isHistory(command: ShellCommand): boolean {
  return (
    OF_HISTORY.has(command.sub(0)) &&
    !command.has('--no-index') &&
    !command.operands.some((word) => word.includes(':'))
  );
}
