/**
 * Sinks: calls whose arguments have to come from the user or from a trusted source, or that a prompt has to ask for. `flow:` of a rule says
 * which calls, and what of them counts: authority (who receives, where it goes, what is destroyed), content, what is confidential, links
 * that carry data away, or the intent. Whatever is not content is authority: there is no list of the arguments that decide.
 */
import { compileGlob, isJsonObject, type Json, type JsonObject, normalForm, quote } from '../base/index.ts';
import { AGENT_TOOLS, relativeTo, type ValueOrigins } from '../engine/index.ts';
import { isIdentifier, isToolOfAgent, Ledger, namesReachable, SessionOrigins } from '../flow/index.ts';
import { type Command, effectsOf } from '../shell/index.ts';
import type { WrittenSink } from './shape.ts';
import { OTHER, READ, type ToolVerb, type Verbs } from './verbs.ts';

/** A tool call, with the ledger of its session. */
export interface FlowCall {
  readonly name: string;
  readonly args: Json;
  readonly cwd: string | null;
  /** Each is looked at for itself. */
  readonly carriesCommands: boolean;
  readonly origins: ValueOrigins;
}

export interface Finding {
  /** As the end of a sentence. */
  readonly says: string;
  /** For which sink a yes endorses which values. */
  readonly sink: string;
  readonly values: readonly string[];
}

/** `command`: one that the call carries; null: the call as a whole is looked at. Null: nothing of it comes from where it may not. */
export type Sink = (call: FlowCall, command: Command | null, paths: readonly string[]) => Finding | null;

const MOST_VALUES = 200;
const DEEPEST = 12;

export interface SinkNames {
  readonly lists: ReadonlyMap<string, readonly string[]>;
  readonly verbs: Verbs;
}

export function compileSink(written: WrittenSink, { lists, verbs }: SinkNames): Sink {
  const words = (given: string | readonly string[] = []) =>
    [given].flat().flatMap((word) => (word.startsWith('$') ? (lists.get(word.slice(1)) ?? []) : [word]));
  const globsOf = (given: WrittenSink['args']) => words(given).map((pattern) => compileGlob(pattern));
  const named = {
    verbs,
    args: globsOf(written.args),
    deciding: globsOf(written.deciding),
    exact: globsOf(written.exact),
  };
  const [kinds, notKinds] = [words(written.verbs), words(written.not_verbs)];
  const tools = new Set(words(written.tool));
  const find = FINDERS[written.of](written, named);
  const isAboutTools = tools.size > 0 || kinds.length > 0 || notKinds.length > 0;
  return (call, command, paths) => {
    if (isAboutTools === (command !== null)) return null;
    if (isAboutTools && !tools.has(call.name)) {
      const { kind } = doneBy(call, verbs);
      if (kinds.length > 0 ? !kinds.includes(kind) : notKinds.length === 0 || notKinds.includes(kind))
        return null;
      // What the agent's own tools do to files and by commands is looked at as such.
      if (kind !== READ && (AGENT_TOOLS.has(call.name) || isToolOfAgent(call.name))) return null;
    }
    return find(call, command, paths);
  };
}

/** Names in a sink that its pack does not define. */
export function sinkFaults(written: WrittenSink, { lists, verbs }: SinkNames): string[] {
  const { tool, args, deciding, exact, verbs: kinds, not_verbs: not, as } = written;
  const named = [tool ?? [], args ?? [], deciding ?? [], exact ?? [], kinds ?? [], not ?? []].flat(2);
  const classes = [kinds ?? [], not ?? [], as ?? []].flat(2);
  return [
    ...named
      .filter((word) => word.startsWith('$') && !lists.has(word.slice(1)))
      .map((word) => `there is no list ${word}`),
    ...classes
      .filter((word) => !word.startsWith('$') && !verbs.has(word))
      .map((word) => `there is no class of verbs ${quote(word)}`),
  ];
}

type Globs = readonly ((text: string) => boolean)[];

interface Named {
  readonly verbs: Verbs;
  readonly args: Globs;
  readonly deciding: Globs;
  readonly exact: Globs;
}

const FINDERS: Readonly<Record<WrittenSink['of'], (sink: WrittenSink, named: Named) => Sink>> = {
  authority: (sink, named) => (call, command) => authorityFinding(sink, named, call, command),
  content:
    (sink, { args: content }) =>
    (call, command) => {
      const texts =
        command !== null
          ? [command.text, command.stdin.text ?? '']
          : leavesOf(call).flatMap((leaf) =>
              sink.tool !== undefined || isContent(leaf, content) ? [leaf.text] : [],
            );
      return namesFinding(sink, call, call.origins.foreignNames(texts));
    },
  link: (sink) => (call) =>
    namesFinding(sink, call, call.origins.carryingLinks(leavesOf(call).map(({ text }) => text))),
  amount: (sink, named) => (call) => amountFinding(sink, named, call),
  confidential:
    (_, { args: people }) =>
    (call) =>
      confidentialFinding(people, call),
  intent:
    ({ as }, { verbs }) =>
    (call, command, paths) =>
      intentFinding(as, verbs, call, command, paths),
};

/** What a yes is about: one person may be written to and not be paid. */
function sinkName({ of, what }: WrittenSink): string {
  return `${of} ${what}`;
}

function sentence(source: string | null): string {
  return source === null
    ? 'was said by no trusted source, and untrusted text was read in this session'
    : `comes from ${source}`;
}

function authorityFinding(
  sink: WrittenSink,
  { verbs, args: content, deciding, exact }: Named,
  call: FlowCall,
  command: Command | null,
): Finding | null {
  const { origins } = call;
  const name = sinkName(sink);
  // A command names much that no source has said.
  const given =
    command === null
      ? leavesOf(call).filter((leaf) => !isContent(leaf, content) && !isData(leaf, sink, deciding))
      : effectsOf(command).flatMap(({ hosts, objects }) =>
          // `pip install -U pip`
          [...hosts, ...objects]
            .filter((text) => text !== command.program)
            .map((text) => ({ key: '', keys: [], text })),
        );
  for (const { key, keys, text } of given.slice(0, MOST_VALUES)) {
    const { origin, source } = origins.of(text);
    if (origin !== 'untrusted') continue;
    const isOwn =
      command !== null || (isOwnWord(text) && !keys.some((name) => exact.some((fits) => fits(name))));
    if (source === null && isOwn) continue;
    if (isMadeBefore(text, call, verbs) || isCellOf(text, origins)) continue;
    if (isTime(text) || origins.isEndorsed(name, text)) continue;
    const place = key === '' || key === sink.what ? '' : ` (\`${key}\`)`;
    return {
      says: `the ${sink.what}${place} ${quote(text)} ${sentence(source)}`,
      sink: name,
      values: [text],
    };
  }
  // What is not looked at is not known to be harmless.
  if (given.length <= MOST_VALUES || origins.isEndorsed(name, TOO_MANY)) return null;
  const says = `it has more than ${MOST_VALUES} values, of which the rest is not looked at`;
  return { says, sink: name, values: [TOO_MANY] };
}

/** An identifier that the same server gave to what a call of this session made. */
function isMadeBefore(text: string, { name, origins }: FlowCall, verbs: Verbs): boolean {
  const maker = origins.madeBy(text);
  if (maker === null || serverOf(maker) !== serverOf(name)) return false;
  const { kind } = verbs.of(maker);
  return kind !== READ && kind !== OTHER;
}

function serverOf(tool: string): string {
  return tool.slice(0, Math.max(0, tool.lastIndexOf('__')));
}

/** `Prices!A2:B3`: cells of a sheet that the user or a trusted source names. */
function isCellOf(text: string, origins: ValueOrigins): boolean {
  const sheet = /^'?([^'!]+)'?![A-Z]{1,3}\d+(?::[A-Z]{1,3}\d+)?$/.exec(text)?.[1];
  return sheet !== undefined && ['user', 'trusted'].includes(origins.of(sheet).origin);
}

/** Larger than any amount that the prompts name: more is done than asked for. */
function amountFinding(sink: WrittenSink, { args }: Named, call: FlowCall): Finding | null {
  const { origins } = call;
  if (!origins.labels().includes('untrusted')) return null;
  const name = sinkName(sink);
  for (const { key, keys, text } of leavesOf(call)) {
    const own = keys.at(-1) ?? '';
    if (!IS_AMOUNT.test(text) || isIdentifier(own) || IN_UNITS.test(own) || !args.some((fits) => fits(own)))
      continue;
    if (origins.asksForAmount(Number(text)) || origins.isEndorsed(name, text)) continue;
    const says = `the ${sink.what} (\`${key}\`) ${text} is larger than any that a prompt of this session names, and untrusted text was read in this session`;
    return { says, sink: name, values: [text] };
  }
  return null;
}

const IS_AMOUNT = /^-?\d{1,7}(?:\.\d+)?$/;
/** Written in other units than people write: an hour is 3600 seconds. */
const IN_UNITS = /cents|minor|milli|second|minute|hour|duration|timeout|bytes|year|month|day|time|ms$/;

const TOO_MANY = 'more values than are looked at';

/** Days and times: when something happens gives nobody power, and agents write them in other forms than they read them. */
function isTime(text: string): boolean {
  if (/^(?:[01]?\d|2[0-4])(?::[0-5]\d)? ?[-–] ?(?:[01]?\d|2[0-4])(?::[0-5]\d)?$/.test(text)) return true;
  return /^(?:\d{4}-\d\d(?:-\d\d)?)?(?:[T ]?\d\d?:\d\d(?::\d\d(?:\.\d+)?)?)?(?:Z|[+-]\d\d:?\d\d)?$/.test(
    text,
  );
}

/** What an agent says in its own words, such as `admin` or 12.5: nobody can be reached by it, and it is no identifier. */
function isOwnWord(text: string): boolean {
  if (namesReachable(text)) return false;
  if (/^[-+]?\d{1,7}(?:[.,]\d+)?\s?(?:%|[a-z]{1,3})?$/i.test(text)) return true;
  const dateless = text.replace(/\d{4}-\d\d(?:-\d\d)?/g, '');
  return !dateless
    .split(/\s+/)
    .some((word) => /(?:\d\D*){4}/.test(word) || (/\d/.test(word) && word.length >= 8));
}

function namesFinding(
  sink: WrittenSink,
  { origins }: FlowCall,
  { names, source }: { readonly names: readonly string[]; readonly source: string | null },
): Finding | null {
  const name = sinkName(sink);
  const open = names.filter((each) => !origins.isEndorsed(name, each));
  if (open.length === 0) return null;
  const says =
    sink.of === 'link'
      ? `the link ${quote(open[0]!)} leads to a host that only an untrusted source names, and carries what no source has in it`
      : `the ${sink.what} names ${quote(open[0]!)}, which ${sentence(source)}`;
  return { says, sink: name, values: open };
}

/** What a call does: by the name of its tool, and by the statement of SQL that it passes on. */
function doneBy(call: FlowCall, verbs: Verbs): ToolVerb {
  const about = verbs.of(call.name);
  if (about.kind !== READ) return about;
  const statement = leavesOf(call)
    .map(({ text }) => WRITING_SQL.exec(text)?.[1]?.toLowerCase())
    .find((word) => word !== undefined);
  return statement === undefined ? about : verbs.of(statement);
}

const WRITING_SQL =
  /(?:^|;)\s*(?:with\b[^;]*\)\s*)?(?:explain\s+analyze\s+)?(delete(?=\s+from\b)|insert(?=\s+into\b)|update(?=\s+\S+\s+set\b)|(?:drop|alter|truncate|create)(?=\s+(?:table|view|schema|database|index|user|role|column)\b)|grant(?=\s+\S+.*\bto\b)|merge(?=\s+into\b))/i;

/** After an untrusted read, what changes something has to be asked for in a prompt. */
function intentFinding(
  as: string | undefined,
  verbs: Verbs,
  call: FlowCall,
  command: Command | null,
  paths: readonly string[],
): Finding | null {
  const { name, cwd, carriesCommands, origins } = call;
  if (!origins.labels().includes('untrusted')) return null;
  const about = as === undefined ? doneBy(call, verbs) : { kind: as, verb: as };
  // What commands do says more than the name of the tool that runs them.
  if (as === undefined && carriesCommands) return null;
  const absolute = paths.map((path) => normalForm(relativeTo(cwd ?? '/', path)));
  if (as !== undefined && absolute.length > 0 && absolute.every((path) => origins.isMade(path))) return null;
  const files = as === undefined ? [] : paths.map((path) => path.slice(path.lastIndexOf('/') + 1));
  const states =
    as === undefined && about.kind === STATE ? leavesOf(call).flatMap(({ text }) => stemsOf(text)) : [];
  if (origins.asksFor([...verbs.licence(about), ...files, ...states])) return null;
  const value = as === undefined ? name : command === null ? `${as} ${paths.join(' ')}` : as;
  if (origins.isEndorsed('intent', value)) return null;
  const says = `no prompt of this session asks for it (${about.verb}), and untrusted text was read in this session`;
  return { says, sink: 'intent', values: [value] };
}

/** The class of verbs that say nothing of what comes out: `update` to "solved" is asked for by "solve". */
const STATE = 'change';

function stemsOf(state: string): string[] {
  const stem = /^([a-z]{4,16})ed$/.exec(state.toLowerCase())?.[1];
  return stem === undefined ? [] : [`${stem}ed`, stem, `${stem}e`, `${stem}ing`];
}

/** Every recipient has to be a reader of every label. */
function confidentialFinding(people: Globs, call: FlowCall): Finding | null {
  const { origins } = call;
  const values = leavesOf(call);
  const recipients = values.filter(({ keys }) => keys.some((key) => people.some((fits) => fits(key))));
  const { labels, source } = origins.of(values.map(({ text }) => text) as Json);
  if (labels.length === 0) return null;
  for (const label of labels) {
    const stranger =
      recipients.find(({ text }) => !origins.mayRead(label, text))?.text ??
      (recipients.length === 0 ? '' : null);
    if (stranger === null || origins.isEndorsed('confidential', `${label} ${stranger}`)) continue;
    const who = stranger === '' ? 'it names no reader' : `${quote(stranger)} is no reader of it`;
    const from = source === null ? '' : ` (${source})`;
    return {
      says: `it carries what is confidential (${label})${from}, and ${who}`,
      sink: 'confidential',
      values: [`${label} ${stranger}`],
    };
  }
  return null;
}

interface Leaf {
  /** The name of the argument, as it is written. */
  readonly key: string;
  /** It and those around it, in small letters without signs. */
  readonly keys: readonly string[];
  readonly text: string;
  /** A list of lists has it. */
  readonly inTable: boolean;
}

const MOST_LEAVES = 5000;
const leaves = new WeakMap<FlowCall, readonly Leaf[]>();

/** Texts and numbers of the arguments. */
function leavesOf(call: FlowCall): readonly Leaf[] {
  const known = leaves.get(call);
  if (known !== undefined) return known;
  const found: Leaf[] = [];
  const walk = (value: Json | undefined, at: Omit<Leaf, 'text'>, depth: number, lists = 0): void => {
    if (found.length >= MOST_LEAVES) return;
    if (depth > DEEPEST) found.push({ ...at, text: JSON.stringify(value) });
    else if (typeof value === 'string' || typeof value === 'number') {
      if (value !== '') found.push({ ...at, text: String(value) });
    } else if (Array.isArray(value))
      for (const each of value) walk(each, { ...at, inTable: lists > 0 }, depth + 1, lists + 1);
    else if (isJsonObject(value))
      for (const [key, inner] of Object.entries(value)) {
        const keys = [...at.keys, key.toLowerCase().replace(/[^a-z0-9]/g, '')];
        walk(inner, { key, keys, inTable: false }, depth + 1);
      }
  };
  walk(call.args, { key: '', keys: [], inTable: false }, 0);
  leaves.set(call, found);
  return found;
}

const MOST_WORDS = 8;

/** What is entered and decides nothing: the cells of a table, and words under no name that decides. Addresses and links are never data. */
function isData({ keys, text, inTable }: Leaf, { data }: WrittenSink, deciding: Globs): boolean {
  if (data === undefined || namesReachable(text)) return false;
  return (
    inTable ||
    (data === 'words' &&
      !/\d/.test(text) &&
      !keys.some((key) => isIdentifier(key) || deciding.some((fits) => fits(key))))
  );
}

/** Text for readers: by the name of the argument, or because it is one. */
function isContent({ keys, text }: Leaf, globs: Globs): boolean {
  return (
    (!isIdentifier(keys.at(-1) ?? '') && keys.some((key) => globs.some((fits) => fits(key)))) ||
    text.includes('\n') ||
    (text.length > 2 * MOST_WORDS && text.split(/\s+/, MOST_WORDS).length === MOST_WORDS)
  );
}

/** An example of a rule: a call, with what was said and read before it. */
export interface FlowExample {
  readonly tool: string;
  readonly args: JsonObject;
  readonly user?: string;
  readonly read?: Json;
  /** Labels of what was read. */
  readonly confidential?: readonly string[];
}

/** Null: it is no such example. */
export function flowExample(text: string): FlowExample | null {
  if (!text.startsWith('{"tool"')) return null;
  try {
    return JSON.parse(text) as FlowExample;
  } catch {
    return null;
  }
}

export function originsOfExample({ user = '', read = null, confidential = [] }: FlowExample): ValueOrigins {
  const ledger = new Ledger('0123456789abcdef');
  const origins = new SessionOrigins(ledger);
  const said = { entry: null, at: 0, words: 'a page', confidential };
  origins.hearPrompt([user], said);
  if (read !== null)
    ledger.learn({ ...said, integrity: 'untrusted' }, [
      typeof read === 'string' ? read : JSON.stringify(read),
    ]);
  return origins;
}
