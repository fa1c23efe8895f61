/**
 * One command as rules look at it: what the reader says, and what several rules ask for, worked out once and only if it is
 * asked for.
 */
import { BoundedMap } from '../base/index.ts';
import {
  type Command,
  type CommandReading,
  type Effect,
  type ErrorKind,
  effectsOf,
  isOnlyText,
  KEY_OPTION,
  type ReadError,
  type RunLocation,
  sqlStatements,
} from '../shell/index.ts';
import { LetterPairs } from './bigram-filter.ts';
import { type Features, FLOWS, featuresOf, mayBePath, OFFERED } from './needs.ts';
import { formsOf, HOME_MARK, type PathForms, type PathSets, type Sets } from './path-sets.ts';
import { SEARCHES, soughtBy } from './searches.ts';
import type { Finding, FlowCall, Sink } from './sinks.ts';

/** What all commands of one text have in common. */
export interface DecisionContext {
  readonly sets: PathSets;
  /** Where it starts, absolute; null if nobody knows. */
  readonly cwd: string | null;
  /** Further folders of the project. */
  readonly roots?: readonly string[];
  readonly reading: CommandReading;
  /** What was read, up to a bound. */
  readonly text: string;
  /** All texts in the definition of a tool that is offered; absent: it is a command. */
  readonly offered?: string;
  /** The call that carries it, with the ledger of its session; absent: rules over sinks do not look. */
  readonly flow?: FlowCall;
  /** It is that call as a whole, and no command of it. */
  readonly isWholeCall?: true;
}

/** Words of these are text for people: that they name a file means nothing. */
const SPEAKING: ReadonlySet<string> = new Set(
  `sudo doas env nice nohup timeout time grep egrep fgrep rg ag ack zgrep jq comby sd echo printf logger say wall write cowsay figlet banner notify-send git gh glab jira linear slack mail llm ollama
  harness claude codex gemini true false : [ [[ test ls stat export alias commit`.split(/\s+/),
);
const MOST_MENTIONS = 200;
/** What stands before a path in one word: `--file=`, `@`, `src=`, `key=@`, `host:`. */
const BEFORE_PATH = /^(?:-{1,2}[\w.-]+=|-[A-Za-z](?=[/~.]))?(?:[\w.[\]-]+[:=])*[@<]?(?:file:\/\/)?/;
/** Says nothing about where: the alias `@/*` of imports. */
const ANYTHING = /^\/\*+$/;
const IN_CODE =
  /(?<![\w*$}])(?:~|\.{0,2})(?:\/[\w.@+-]+)+\/?|(?<![\w)\]])\.[a-z][\w.-]*(?:\/[\w.@+-]+)*|\b[\w-]+(?:\.[\w-]+)+\b/gi;

export class Subject {
  readonly command: Command;
  readonly around: DecisionContext;
  private knownFeatures: Features = -1;
  private knownPairs: LetterPairs | null = null;
  private knownReads: Sets = -1;
  private knownWrites: Sets = -1;
  private knownDeletes: Sets = -1;
  private knownMentions: Sets = -1;
  private knownMentioned: readonly string[] | null = null;
  private knownCode: string | null = null;
  private knownArgs: readonly string[] | null = null;
  private knownOperands: readonly string[] | null = null;
  private knownLine: string | null = null;
  private knownSources: readonly Subject[] | null = null;
  finding: Finding | null = null;

  constructor(command: Command, around: DecisionContext) {
    this.command = command;
    this.around = around;
  }

  get effects(): readonly Effect[] {
    return effectsOf(this.command, placeOf(this.around));
  }

  get features(): Features {
    if (this.knownFeatures === -1) this.knownFeatures = this.featuresOfKind();
    return this.knownFeatures;
  }

  /** What a sink finds in the call; the last one stays for the text of the question. */
  finds(sink: Sink): Finding | null {
    const { flow, isWholeCall } = this.around;
    const { command } = this;
    if (flow === undefined) this.finding = null;
    else if (isWholeCall === true) this.finding = sink(flow, null, command.writes);
    else this.finding = sink(flow, command, command.deletes);
    return this.finding;
  }

  private featuresOfKind(): Features {
    const { offered, flow } = this.around;
    if (offered !== undefined) return OFFERED;
    return flow === undefined ? featuresOf(this.command) : featuresOf(this.command) | FLOWS;
  }

  /** Of all that conditions look for texts in. */
  get pairs(): LetterPairs {
    this.knownPairs ??= this.pairsOfAll();
    return this.knownPairs;
  }

  private pairsOfAll(): LetterPairs {
    const { path, text, args, code, stdin, assigns } = this.command;
    const pairs = new LetterPairs();
    pairs.add(path);
    pairs.add(text);
    // Without quotes and variables it is a part of the text.
    if (!text.includes(this.line)) pairs.add(this.line);
    for (const arg of args) if (arg[0] === '-' && arg[1] !== '-') pairs.addOptions(arg);
    if (code !== null) pairs.add(this.code);
    if (stdin.text !== null) pairs.add(stdin.text);
    for (const { name } of assigns) pairs.add(name);
    if (this.around.offered !== undefined) pairs.add(this.around.offered);
    return pairs;
  }

  get args(): readonly string[] {
    this.knownArgs ??= this.command.args.map(withTilde);
    return this.knownArgs;
  }

  get operands(): readonly string[] {
    this.knownOperands ??= this.command.operands.map(withTilde);
    return this.knownOperands;
  }

  forms(path: string): PathForms {
    return rememberedForms(path, this.around);
  }

  get reads(): Sets {
    if (this.knownReads === -1) this.knownReads = this.setsOf(this.command.reads);
    return this.knownReads;
  }

  get writes(): Sets {
    if (this.knownWrites === -1) this.knownWrites = this.setsOf(this.command.writes);
    return this.knownWrites;
  }

  get deletes(): Sets {
    if (this.knownDeletes === -1) this.knownDeletes = this.setsOf(this.command.deletes);
    return this.knownDeletes;
  }

  /** Paths in words and code, whatever the program does with them. */
  get mentions(): Sets {
    if (this.knownMentions === -1) this.knownMentions = this.setsOf(this.mentioned);
    return this.knownMentions;
  }

  get mentioned(): readonly string[] {
    this.knownMentioned ??= this.findMentioned();
    return this.knownMentioned;
  }

  private findMentioned(): readonly string[] {
    const { command } = this;
    if (SPEAKING.has(command.program)) return [];
    const words = this.args
      .filter(
        (word, at) =>
          word.length < 400 && !/\s/.test(word) && mayBePath(word) && !isKeyOption(word, this.args[at - 1]),
      )
      .map((word) => word.replace(BEFORE_PATH, ''))
      .filter((word) => !ANYTHING.test(word));
    return [...words, ...pathsIn(command)].slice(0, MOST_MENTIONS);
  }

  /** Code without what only looks like it: of SQL, comments and strings. */
  get code(): string {
    this.knownCode ??= plainCode(this.command);
    return this.knownCode;
  }

  /** Arguments with blanks between. */
  get line(): string {
    this.knownLine ??= this.args.join(' ');
    return this.knownLine;
  }

  /** Commands whose output reaches this one, through others as well. */
  get sources(): readonly Subject[] {
    if (this.knownSources === null) {
      const found = new Set<Command>(this.command.sources);
      for (const command of found) {
        if (found.size >= MOST_SOURCES) break;
        for (const source of command.sources) found.add(source);
      }
      found.delete(this.command);
      this.knownSources = [...found].map((command) => new Subject(command, this.around));
    }
    return this.knownSources;
  }

  /** The others of its text. */
  get beside(): readonly Subject[] {
    const { commands } = this.around.reading;
    return commands
      .slice(0, MOST_BESIDE)
      .filter((command) => command !== this.command)
      .map((command) => new Subject(command, this.around));
  }

  /** Names that a search is limited to: its own, or the one it is started for. Null: it may find anything. */
  get sought(): readonly string[] | null {
    const search = [this.command, ...this.command.sources].find(({ program }) => SEARCHES.has(program));
    return search === undefined ? null : soughtBy(search);
  }

  /** Commands before it that write a file which it reads. */
  get writers(): readonly Subject[] {
    const { reads } = this.command;
    const { commands } = this.around.reading;
    if (reads.length === 0 || commands.length > MOST_SOURCES) return [];
    return commands
      .slice(0, Math.max(0, commands.indexOf(this.command)))
      .filter(({ writes }) => writes.some((path) => reads.includes(path)))
      .map((command) => new Subject(command, this.around));
  }

  get feeds(): boolean {
    const { commands } = this.around.reading;
    return commands.length <= MOST_SOURCES && commands.some(({ sources }) => sources.includes(this.command));
  }

  get unread(): readonly ErrorKind[] {
    return unreadOf(this.around.reading);
  }

  private setsOf(paths: readonly string[]): Sets {
    let sets = 0;
    for (const path of paths) sets |= this.around.sets.of(this.forms(path));
    return sets;
  }
}

/** `--key=…`, `--key …` */
function isKeyOption(word: string, before: string | undefined): boolean {
  const equals = word.indexOf('=');
  return KEY_OPTION.test(equals === -1 ? (before ?? '') : word.slice(0, equals));
}

const LOCATIONS = new WeakMap<DecisionContext, RunLocation>();

function placeOf(around: DecisionContext): RunLocation {
  let place = LOCATIONS.get(around);
  if (place === undefined) {
    const { cwd, roots = [] } = around;
    place = { cwd, workspaces: cwd === null ? roots : [cwd, ...roots], home: null };
    LOCATIONS.set(around, place);
  }
  return place;
}

const MOST_FORMS = 2000;
const LONGEST_KEPT = 400;
const knownForms = new BoundedMap<string, PathForms>(MOST_FORMS);

/** Paths that were named before, so that what rules found out about them serves again. */
function rememberedForms(path: string, { cwd, roots = [] }: DecisionContext): PathForms {
  if (path.length > LONGEST_KEPT) return formsOf(path, cwd, roots);
  const key = cwd === null && roots.length === 0 ? path : `${cwd ?? ''}\0${roots.join('\0')}\0${path}`;
  let forms = knownForms.get(key);
  if (forms === undefined) {
    forms = formsOf(path, cwd, roots);
    knownForms.set(key, forms);
  }
  return forms;
}

/** What kept a text from being read for sure. */
export function unreadOf({ errors }: CommandReading): readonly ErrorKind[] {
  return errors.filter((error) => !isTwoWays(error)).map(({ kind }) => kind);
}

/** dash and bash read it differently, and both readings are among the commands. */
function isTwoWays({ kind, message }: ReadError): boolean {
  return kind === 'shell' && !message.includes('cannot be read');
}

function withTilde(word: string): string {
  return word.startsWith(HOME_MARK) && (word.length === 2 || word[2] === '/' || word[2] === ':')
    ? word.slice(1)
    : word;
}

const MOST_SOURCES = 64;
const MOST_BESIDE = 64;
const MOST_CODE = 20_000;

/** Behind a word, or behind `of=`, a path is a part of a sentence: in most languages what opens a file names it in quotes. */
const IN_SENTENCE = /[\w`.,;:!?)-] +$|\w=$/;
/** Languages whose commands take a path as it stands, and what stands before it then. */
const BARE: ReadonlyMap<string, RegExp> = new Map([
  ['sed', /(?:^|[^A-Za-z])[rRwWe] ?$/],
  ['ed', /(?:^|[^A-Za-z])[rwWef]!? ?$/],
  ['vim', /(?:^|[\s:|])[a-z]{1,8}!? (?:>> ?)?$|["'(]$/],
  ['sql', /(?:)/],
]);

function pathsIn({ code }: Command): string[] {
  if (code === null) return [];
  const text = code.text.slice(0, MOST_CODE);
  const bare = BARE.get(code.language);
  const found: string[] = [];
  for (const match of text.matchAll(IN_CODE)) {
    if (bare === undefined && isOnlyText(code.language, text, match.index)) continue;
    const before = text.slice(Math.max(0, match.index - 24), match.index);
    if (bare === undefined ? IN_SENTENCE.test(before) : !bare.test(before)) continue;
    found.push(match[0]);
    if (found.length >= MOST_MENTIONS) break;
  }
  return found;
}

function plainCode({ code, program }: Command): string {
  if (code === null) return '';
  const text = code.text.slice(0, MOST_CODE);
  if (SPOKEN_IN_STRINGS.test(program)) return text.replace(/(["'`])(?:\\.|(?!\1)[^\\])*\1/gs, '$1$1');
  return code.language === 'sql' ? sqlStatements(text) : text;
}

/** What stands in strings there is data; nothing of what rules look for is called by a string. */
const SPOKEN_IN_STRINGS = /^mongo(?:sh)?$/;
