/**
 * What a tape is about, in little: enough to say that a search need not look into it. It may say "perhaps" too often and never
 * "no" wrongly; what a tape holds is only ever read from the tape.
 */
import { isJsonObject, type Json } from '../base/index.ts';
import type { Header } from './entry.ts';
import { type Chapter, hasFailure, readable, type Story, type StoryFilter, toolOf } from './stories.ts';

export interface TapeFacts {
  readonly session: string;
  readonly host: string;
  readonly started: string;
  readonly decisions: number;
  /** Of its last decision, in milliseconds since the epoch; null on a tape that does not say. */
  readonly last: number | null;
  /** Each kind of decision once: event, tool, action, whether a hook failed. Null if there are too many. */
  readonly kinds: readonly Kind[] | null;
  /** Each hook once with what it said and whether it failed. Null if there are too many. */
  readonly hooks: readonly HookKind[] | null;
  /** A set of all three letters that follow each other in its texts, as bits in base64. Null if there are too many. */
  readonly letters: string | null;
}

type Kind = readonly [event: string, tool: string | null, action: string | null, failed: boolean];
type HookKind = readonly [hook: string, result: string | null, failed: boolean];

export interface Search extends StoryFilter {
  /** Milliseconds since the epoch. */
  readonly since: number;
  /** In lower case; empty for any. */
  readonly text: string;
}

/** More are taken for anything. */
const MOST_KINDS = 1000;
const MOST_LETTERS = 65_536;
/** Texts that are remembered, so that one that is said again is not read again. */
const MOST_TEXTS = 20_000;

export function factsOf({ session, host, started }: Header, chapters: Iterable<Chapter>): TapeFacts {
  const kinds = new Map<string, Kind>();
  const hooks = new Map<string, HookKind>();
  const letters = new Set<number>();
  const seen = new Set<string>();
  let decisions = 0;
  let last: number | null = null;
  for (const chapter of chapters) {
    if (chapter.kind !== 'decision') continue;
    const { story } = chapter;
    decisions++;
    last = story.outcome?.at ?? story.dispatch.at ?? last;
    const kind: Kind = [
      story.dispatch.record.event,
      toolOf(story),
      story.outcome?.record.action ?? null,
      hasFailure(story),
    ];
    if (kinds.size <= MOST_KINDS) kinds.set(JSON.stringify(kind), kind);
    for (const { hook, end } of story.turns) {
      const said: HookKind = [hook, end?.record.result ?? null, end?.record.type === 'hook_failed'];
      if (hooks.size <= MOST_KINDS) hooks.set(JSON.stringify(said), said);
    }
    for (const text of textsOf(story)) {
      if (seen.has(text) || letters.size > MOST_LETTERS) continue;
      if (seen.size < MOST_TEXTS) seen.add(text);
      for (const three of threes(text.toLowerCase())) letters.add(three);
    }
  }
  return {
    session,
    host,
    started,
    decisions,
    last,
    kinds: kinds.size > MOST_KINDS ? null : [...kinds.values()],
    hooks: hooks.size > MOST_KINDS ? null : [...hooks.values()],
    letters: letters.size > MOST_LETTERS ? null : bitsOf(letters),
  };
}

/** False only if no decision of the tape can be wanted. */
export function mayMatch(
  facts: TapeFacts,
  { since, text, event, hook, tool, decision, failures }: Search,
): boolean {
  if (facts.last !== null && facts.last < since) return false;
  const ofChain = hook === undefined;
  const isKind = ([its, called, action, failed]: Kind) =>
    (event === undefined || its === event) &&
    (tool === undefined || tool(called ?? '')) &&
    (!ofChain || decision === undefined || action === decision) &&
    (!ofChain || failures !== true || failed);
  const isHook = ([name, result, failed]: HookKind) =>
    hook!(name) && (decision === undefined || result === decision) && (failures !== true || failed);
  if (facts.kinds !== null && !facts.kinds.some(isKind)) return false;
  if (!ofChain && facts.hooks !== null && !facts.hooks.some(isHook)) return false;
  return facts.letters === null || hasAll(facts.letters, text);
}

export function hasText(story: Story, text: string): boolean {
  if (text === '') return true;
  for (const each of textsOf(story)) if (each.toLowerCase().includes(text)) return true;
  return false;
}

/** Where a search looks: the texts of the payload and of what it became, who decided, and why. */
function* textsOf({ dispatch, turns, outcome }: Story): Generator<string> {
  yield* leaves(dispatch.record.payload);
  if (outcome?.record.payload !== undefined) yield* leaves(outcome.record.payload);
  if (outcome?.record.reason !== undefined) yield readable(outcome.record.reason);
  for (const { hook, end } of turns) {
    yield hook;
    if (end?.record.reason !== undefined) yield readable(end.record.reason);
  }
}

/** Without recursion: a payload may be as deep as it likes. */
function* leaves(value: Json): Generator<string> {
  const left: Json[] = [value];
  for (let next = left.pop(); next !== undefined; next = left.pop()) {
    if (typeof next === 'string') yield next;
    else if (Array.isArray(next)) for (const each of next) left.push(each);
    else if (isJsonObject(next))
      for (const each of Object.values(next)) if (each !== undefined) left.push(each);
  }
}

function* threes(text: string): Generator<number> {
  for (let i = 2; i < text.length; i++) {
    const first = Math.imul(text.charCodeAt(i - 2), 0x9e3779b1);
    const second = Math.imul(first ^ text.charCodeAt(i - 1), 0x85ebca6b);
    const third = Math.imul(second ^ text.charCodeAt(i), 0xc2b2ae35);
    yield (third ^ (third >>> 15)) >>> 0;
  }
}

/** A quarter of the bits is set at most, so that a word of some letters is seldom found by chance. */
function bitsOf(letters: ReadonlySet<number>): string {
  let bits = 512;
  while (bits < letters.size * 4) bits *= 2;
  const bytes = Buffer.alloc(bits / 8);
  for (const three of letters) {
    const at = three & (bits - 1);
    bytes[at >>> 3]! |= 1 << (at & 7);
  }
  return bytes.toString('base64');
}

function hasAll(letters: string, text: string): boolean {
  if (text.length < 3) return true;
  const bytes = Buffer.from(letters, 'base64');
  for (const three of threes(text)) {
    const at = three & (bytes.length * 8 - 1);
    if ((bytes[at >>> 3]! & (1 << (at & 7))) === 0) return false;
  }
  return true;
}
