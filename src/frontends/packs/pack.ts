/**
 * A pack, compiled: its rules with an index by program, so that a command no rule concerns costs a look-up. Judging is pure and
 * never throws because of a command.
 */
import type { Command, CommandReading } from '../../match/command/index.ts';
import { compileCondition, type Names } from './condition.ts';
import { PathSets } from './path-sets.ts';
import { PlannedIndex, planIndex, type RuleIndex } from './rule-index.ts';
import type { WrittenPack, WrittenRule, WrittenShared } from './shape.ts';
import { Subject, type Surroundings } from './subject.ts';

export interface Rule {
  /** `core/disk-write` */
  readonly name: string;
  readonly pack: string;
  readonly written: WrittenRule;
}

export interface Pack {
  readonly name: string;
  readonly version: number;
  readonly description: string;
  readonly rules: readonly Rule[];
  /** By the digest of its file, or of what ships. */
  readonly digest: string;
  readonly index: RuleIndex;
}

/** A rule that holds for a command of the text. */
export interface RuleMatch {
  readonly rule: Rule;
  readonly command: Command;
}

export interface SharedNames {
  readonly lists: Readonly<Record<string, readonly string[]>>;
  readonly sets: PathSets;
}

export function sharedNames({ lists, paths }: WrittenShared): SharedNames {
  return { lists, sets: new PathSets(paths) };
}

export interface MadePack {
  readonly pack: Pack;
  /** Rules that cannot be understood, by id. */
  readonly faults: readonly { readonly rule: string; readonly message: string }[];
}

/** A pack from elsewhere, checked rule by rule. What ships has been checked when it was built, see shipped.ts. */
export function compilePack(written: WrittenPack, shared: SharedNames, digest: string): MadePack {
  const names = namesOf(written, shared);
  const faults: { rule: string; message: string }[] = [];
  const rules = written.rules.map(
    (rule): Rule => ({ name: `${written.pack}/${rule.id}`, pack: written.pack, written: rule }),
  );
  const broken = new Set<Rule>();
  for (const rule of rules) {
    const made = compileCondition(rule.written.match, names);
    if (made.ok) continue;
    broken.add(rule);
    faults.push(...made.faults.map((message) => ({ rule: rule.written.id, message })));
  }
  const { pack: name, version, description } = written;
  const index = new PlannedIndex(planIndex(written, names), rules, names, broken);
  return { pack: { name, version, description, rules, digest, index }, faults };
}

export function namesOf({ lists }: Pick<WrittenPack, 'lists'>, shared: SharedNames): Names {
  return { lists: new Map(Object.entries({ ...shared.lists, ...lists })), sets: shared.sets };
}

/** The rules that look at a command, by name. */
export function lookingRules({ index }: Pack, subjects: readonly Subject[]): readonly Rule[] {
  const parts = subjects.flatMap(({ command, features, pairs }) =>
    index.partsFor(command.program, features).filter(({ texts }) => pairs.may(texts)),
  );
  return [...new Set(parts.map(({ rule }) => rule))];
}

const MOST_TEXT = 20_000;

/** `text` is what was read. */
export function subjectsOf(
  reading: CommandReading,
  text: string,
  sets: PathSets,
  cwd: string | null,
): readonly Subject[] {
  const around: Surroundings = { sets, cwd, reading, text: text.slice(0, MOST_TEXT) };
  const subjects = reading.commands.map((command) => new Subject(command, around));
  // What could not be read is looked at too, as a command without a name.
  if (!reading.complete) subjects.push(new Subject({ ...EMPTY, text }, around));
  return subjects;
}

/** A tool that is offered: what it says is looked at, and no more than its name is told. */
export function offeredSubject(name: string, offered: string, sets: PathSets): Subject {
  const reading: CommandReading = { commands: [], errors: [], complete: true, dynamic: false };
  return new Subject({ ...EMPTY, text: `the tool ${name}` }, { sets, cwd: null, reading, text: '', offered });
}

/** What an example of a rule may be: a command, or the text of a definition. */
export function exampleSubjects(text: string, reading: CommandReading, sets: PathSets): readonly Subject[] {
  return [...subjectsOf(reading, text, sets, null), offeredSubject('', text, sets)];
}

export function matchesOf(index: RuleIndex, subjects: readonly Subject[]): RuleMatch[] {
  const found: RuleMatch[] = [];
  for (const subject of subjects) {
    const { command, features, pairs } = subject;
    const first = found.length;
    for (const part of index.partsFor(command.program, features)) {
      if (!pairs.may(part.texts)) continue;
      const { rule } = part;
      if (found.some((match, at) => at >= first && match.rule === rule)) continue;
      if (part.test(subject) && (rule.written.even_dry === true || !isRehearsal(command))) {
        found.push({ rule, command });
      }
    }
  }
  return found;
}

const HELP = ['--help', '-help'];
const DRY =
  /^--?(?:dry[-_]?run|simulate|assumeno|no-act|just-print|recon|what-?if|noop)(?:=(?!none|false|0).*)?$/i;

/** They take names: a database can be called `help`. */
const NO_SUBS: ReadonlySet<string> = new Set(
  'dropdb dropuser createdb createuser rm unlink shred rmdir userdel groupdel deluser delgroup kill pkill killall mkfs shutdown'.split(
    ' ',
  ),
);

/** It only shows what it would do, or how it is used; what it is given to run and where it writes to happens all the same. */
function isRehearsal(command: Command): boolean {
  const { args, code, runsStdin, redirects, words, stdin } = command;
  // Who asks for help gives nothing to read.
  if (stdin.kind === 'text' && stdin.text !== '') return false;
  if (words.length === 0 || code !== null || runsStdin || redirects.some(({ op }) => op.includes('>')))
    return false;
  // In front of a value it is which version, not the wish to see one.
  const last = args.at(-1);
  return (
    command.has(...HELP) ||
    args.some((arg) => DRY.test(arg)) ||
    last === '-h' ||
    last === '--version' ||
    (!command.wrapper && command.sub(0) === 'help' && !NO_SUBS.has(command.program))
  );
}

/** A command without a name and without anything. */
export const EMPTY: Command = {
  program: '',
  path: '',
  args: [],
  words: [],
  operands: [],
  flags: [],
  assigns: [],
  reads: [],
  writes: [],
  deletes: [],
  redirects: [],
  stdin: { kind: 'inherited', text: null, path: null },
  runsStdin: false,
  sources: [],
  via: [],
  wrapper: false,
  isFunction: false,
  recursive: false,
  endless: false,
  elevated: false,
  remote: false,
  background: false,
  dynamic: false,
  code: null,
  patch: null,
  cwd: null,
  cwdCertain: false,
  text: '',
  start: 0,
  end: 0,
  sub: () => '',
  has: () => false,
};
