/**
 * Sinks: calls whose arguments have to come from the user or from a trusted source. `flow:` of a rule says which calls, which arguments and
 * what of them: authority (who receives, where it goes, what is destroyed), content, or what is confidential.
 */
import { compileGlob, isJsonObject, type Json, type JsonObject, quote } from '../base/index.ts';
import { AGENT_TOOLS, type ValueOrigins } from '../engine/index.ts';
import { Ledger, SessionOrigins } from '../flow/index.ts';
import { type Effect, effectsIn, readCommand } from '../shell/index.ts';
import type { WrittenSink } from './shape.ts';

/** A tool call, with the ledger of its session. */
export interface FlowCall {
  readonly name: string;
  readonly args: Json;
  readonly effects: () => readonly Effect[];
  readonly origins: ValueOrigins;
}

export interface Finding {
  /** As the end of a sentence. */
  readonly says: string;
  /** For which sink a yes endorses which values. */
  readonly sink: string;
  readonly values: readonly string[];
}

const MOST_VALUES = 200;
const DEEPEST = 12;

/** Null: nothing of the call comes from where it may not. */
export function findingOf(sink: WrittenSink, call: FlowCall): Finding | null {
  if (sink.effect !== undefined) return effectFinding(sink, call);
  if (AGENT_TOOLS.has(call.name) || !isNamed(sink, call.name)) return null;
  const named = valuesUnder(call.args, globsOf(sink.args ?? ['*']));
  if (sink.of === 'confidential') return confidentialFinding(named, call);
  if (sink.of === 'content') return contentFinding(sink, call, named);
  for (const value of named.slice(0, MOST_VALUES)) {
    const { origin, source } = call.origins.of(value);
    if (origin !== 'untrusted' || call.origins.isEndorsed(sinkName(sink), value)) continue;
    return {
      says: `the ${sink.what} ${quote(value)} ${sentence(source)}`,
      sink: sinkName(sink),
      values: [value],
    };
  }
  return null;
}

/** What a yes is about: one person may be written to and not be paid. */
function sinkName({ of, what }: WrittenSink): string {
  return `${of} ${what}`;
}

function sentence(source: string | null): string {
  return source === null
    ? 'was said by no trusted source, and untrusted text was read in this session'
    : `comes from ${source}`;
}

function contentFinding(sink: WrittenSink, { origins }: FlowCall, values: readonly string[]): Finding | null {
  const { names, source } = origins.foreignNames(values as Json);
  const open = names.filter((name) => !origins.isEndorsed(sinkName(sink), name));
  if (open.length === 0) return null;
  return {
    says: `the ${sink.what} names ${quote(open[0]!)}, which ${sentence(source)}`,
    sink: sinkName(sink),
    values: open,
  };
}

/** Every recipient has to be a reader of every label. */
function confidentialFinding(recipients: readonly string[], call: FlowCall): Finding | null {
  const { origins, args } = call;
  const { labels, source } = origins.of(valuesUnder(args, [() => true]) as Json);
  if (labels.length === 0) return null;
  for (const label of labels) {
    const stranger =
      recipients.find((each) => !origins.mayRead(label, each)) ?? (recipients.length === 0 ? '' : null);
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

/** Only what an untrusted source is known to have said: a command names much that nobody said. */
function effectFinding(sink: WrittenSink, call: FlowCall): Finding | null {
  const { kind, verb } = sink.effect!;
  const name = sinkName(sink);
  for (const { kind: own, verb: does, hosts, objects } of call.effects()) {
    if (own !== kind || (verb !== undefined && does !== verb)) continue;
    for (const value of [...hosts, ...objects]) {
      const { origin, source } = call.origins.of(value);
      if (origin !== 'untrusted' || source === null || call.origins.isEndorsed(name, value)) continue;
      return { says: `the ${sink.what} ${quote(value)} ${sentence(source)}`, sink: name, values: [value] };
    }
  }
  return null;
}

type Test = (text: string) => boolean;

const compiled = new Map<string, Test>();

function globsOf(patterns: string | readonly string[]): Test[] {
  return [patterns].flat().map((pattern) => {
    const known = compiled.get(pattern);
    if (known !== undefined) return known;
    const made = compileGlob(pattern);
    // Patterns of rules: as many as the packs in force have.
    compiled.set(pattern, made);
    return made;
  });
}

/** One of the words of the tool's name, behind the name of its server; and none of the others. */
function isNamed({ tool, not_tool: not = [] }: WrittenSink, name: string): boolean {
  const words = wordsOf(name.slice(name.lastIndexOf('__') + 1));
  const has = (patterns: string | readonly string[]) => {
    const globs = globsOf(patterns);
    return words.some((word) => globs.some((glob) => glob(word)));
  };
  return has(tool ?? ['*']) && !has(not);
}

function wordsOf(name: string): string[] {
  return name
    .replace(/([a-z0-9])([A-Z])/g, '$1 $2')
    .toLowerCase()
    .split(/[^a-z0-9]+/)
    .filter((word) => word !== '');
}

/** Texts and numbers under arguments with such a name, letter case and signs aside; what stands below one belongs to it. */
function valuesUnder(args: Json, names: readonly Test[]): string[] {
  const found: string[] = [];
  const walk = (value: Json | undefined, taken: boolean, depth: number): void => {
    if (depth > DEEPEST || found.length > MOST_VALUES) return;
    if (typeof value === 'string' || typeof value === 'number') {
      if (taken && value !== '') found.push(String(value));
    } else if (Array.isArray(value)) for (const each of value) walk(each, taken, depth + 1);
    else if (isJsonObject(value))
      for (const [key, held] of Object.entries(value)) {
        const plain = key.toLowerCase().replace(/[^a-z0-9]/g, '');
        walk(held, taken || names.some((fits) => fits(plain)), depth + 1);
      }
  };
  walk(args, false, 0);
  return found;
}

/** A sink with the lists written out that its words name. */
export function writtenOut(sink: WrittenSink, lists: ReadonlyMap<string, readonly string[]>): WrittenSink {
  const words = (given: string | readonly string[]) =>
    [given].flat().flatMap((word) => (word.startsWith('$') ? (lists.get(word.slice(1)) ?? []) : [word]));
  return {
    ...sink,
    ...(sink.tool !== undefined && { tool: words(sink.tool) }),
    ...(sink.not_tool !== undefined && { not_tool: words(sink.not_tool) }),
    ...(sink.args !== undefined && { args: words(sink.args) }),
  };
}

/** Lists that the words of a sink name and that there are not. */
export function missingLists(sink: WrittenSink, lists: ReadonlyMap<string, readonly string[]>): string[] {
  const words = [sink.tool ?? [], sink.not_tool ?? [], sink.args ?? []].flat(2);
  return words.filter((word) => word.startsWith('$') && !lists.has(word.slice(1)));
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

export function callOfExample({
  tool,
  args,
  user = '',
  read = '',
  confidential = [],
}: FlowExample): FlowCall {
  const ledger = new Ledger('0123456789abcdef');
  const origins = new SessionOrigins(ledger);
  const said = { entry: null, at: 0, words: 'a page', confidential };
  ledger.learn({ ...said, integrity: 'user', confidential: [] }, [user]);
  ledger.learn({ ...said, integrity: 'untrusted' }, [typeof read === 'string' ? read : JSON.stringify(read)]);
  return { name: tool, args, origins, effects: () => effectsIn(readCommand(String(args.command ?? ''))) };
}
