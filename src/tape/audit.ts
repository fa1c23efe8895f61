/**
 * Who did what, from the record: one row for each attempt to call a tool, with the person and the agent behind it, what
 * became of it and by whom, and where its entry stands in the chain. Goes through a tape once, holding only open calls.
 */
import { BoundedMap, HarnessError, isJsonObject, type Json, type JsonObject } from '../base/index.ts';
import type { Caller } from '../engine/index.ts';
import { hashLine } from './chain.ts';
import { TapeDecoder } from './decode.ts';
import type {
  CallRecord,
  DecisionRecord,
  Entry,
  Fired,
  Header,
  HookPart,
  RecordedWho,
  RunRecord,
} from './entry.ts';
import { isFailOpen } from './stats.ts';
import { readLines } from './tape-file.ts';
import { parseEntry, parseHeader } from './tape-reader.ts';

export interface AuditRow {
  /** Of the verdict, as an ISO date; null on a tape without times. */
  readonly time: string | null;
  /** The session the call belongs to; a sub-agent has its own. */
  readonly session: string;
  readonly actor: string | null;
  readonly email: string | null;
  readonly tenant: string | null;
  readonly tier: string | null;
  /** From the first sub-agent to the one that called, joined by ` > `; empty for the first agent. */
  readonly agent: string;
  readonly depth: number;
  readonly tool: string;
  readonly call: string;
  readonly verdict: string;
  readonly by: string | null;
  readonly reason: string | null;
  /** Of what ran. */
  readonly digest: string | null;
  /** What hooks noted about it with `annotate`. */
  readonly facts: JsonObject;
  /** The guards that failed and let it pass, each with why; null if none did. */
  readonly failed_open: string | null;
  readonly policy: string;
  /** The place of the entry in its tape, the hash of its line and of the line before: `tape verify` proves that they hang together. */
  readonly tape: string;
  readonly seq: number;
  readonly hash: string;
  readonly prev: string;
}

export const AUDIT_COLUMNS: readonly (keyof AuditRow)[] = [
  'time',
  'session',
  'actor',
  'email',
  'tenant',
  'tier',
  'agent',
  'depth',
  'tool',
  'call',
  'verdict',
  'by',
  'reason',
  'digest',
  'facts',
  'failed_open',
  'policy',
  'tape',
  'seq',
  'hash',
  'prev',
];

interface RunFacts {
  readonly session: string;
  readonly actor: Json;
  readonly caller: Caller | null;
}

/** What has been said of a call so far. */
interface OpenCall {
  readonly facts: JsonObject;
  readonly failedOpen: readonly string[];
  readonly run: RunFacts | null;
}

/** So many calls may be open at once; the oldest of more is one whose end never came. */
const MOST_OPEN = 10_000;

/** Throws TAPE_INVALID for what is no tape. A last line that was cut off is left out, as `tape verify` says. */
export function* auditTape(path: string, name: string = path): Generator<AuditRow> {
  const lines = readLines(path);
  const first = lines.next();
  const header = first.done ? 'has no header' : parseHeader(first.value.bytes.toString('utf8'));
  if (typeof header === 'string') throw invalid(path, header);
  const audit = new Audit(header, name);
  let number = 1;
  for (const { bytes, whole } of lines) {
    if (!whole) return;
    number++;
    const entry = parseEntry(bytes.toString('utf8'));
    if (typeof entry === 'string') throw invalid(path, `line ${number} ${entry}`);
    const row = audit.take(entry, bytes);
    if (row !== null) yield row;
  }
}

class Audit {
  private readonly header: Header;
  private readonly name: string;
  private readonly decoder: TapeDecoder;
  private readonly runs = new Map<number, RunFacts>();
  private readonly sessions = new Map<string, RunFacts>();
  /** Sessions of agents that no other agent called. */
  private readonly firstAgents = new Set<string>();
  private readonly announced = new Map<number, Fired>();
  private readonly open = new BoundedMap<string, OpenCall>(MOST_OPEN);
  private policy: string;

  constructor(header: Header, name: string) {
    this.header = header;
    this.name = name;
    this.policy = header.policy.digest;
    this.decoder = new TapeDecoder(header);
  }

  take(entry: Entry, line: Buffer): AuditRow | null {
    const { record } = this.decoder.decode(entry);
    switch (record.type) {
      case 'run':
        this.begin(record);
        return null;
      case 'dispatch':
        // Its decision comes later, and names only the number.
        this.announced.set(record.dispatch, record);
        return null;
      case 'decision':
        this.decided(record);
        return null;
      case 'annotate':
        if (record.callId !== undefined)
          this.note(record.callId, this.sessionOf(record), {
            facts: record.facts,
            failedOpen: [],
            run: null,
          });
        return null;
      case 'policy.changed':
        if (record.accepted) this.policy = record.to;
        return null;
      case 'call':
        return this.row(record, entry, line);
      default:
        return null;
    }
  }

  private begin({ run, actor, caller, settings }: RunRecord): void {
    const told = isJsonObject(settings) && isJsonObject(settings.session) ? settings.session.id : undefined;
    const session = typeof told === 'string' && told !== '' ? told : this.header.session;
    const facts = { session, actor, caller };
    this.runs.set(run, facts);
    this.sessions.set(session, facts);
    if (caller === null) this.firstAgents.add(session);
  }

  /** Whose call it is: only a sub-agent's call names its session, and the tape may have another name than the session. */
  private sessionOf({ callId, session }: { readonly callId?: string; readonly session?: string }): string {
    if (session !== undefined) return session;
    const sessions = [...this.firstAgents];
    return (
      sessions.find((id) => this.open.has(keyOf(callId ?? '', id))) ?? sessions[0] ?? this.header.session
    );
  }

  private decided({ in: fired, out }: DecisionRecord): void {
    const event = 'event' in fired ? fired : this.announced.get(fired.dispatch);
    this.announced.delete(fired.dispatch);
    if (event?.callId === undefined) return;
    const known = this.runs.get(event.run) ?? null;
    const run = withActor(known, event.behind, this.header.session);
    const facts: Record<string, Json> = {};
    const failedOpen: string[] = [];
    for (const part of out.hooks ?? []) {
      for (const effect of part.effects ?? [])
        if (effect.kind === 'annotate') Object.assign(facts, effect.facts);
      if (didFailOpen(part)) failedOpen.push(`${part.hook}: ${whyOf(part)}`);
    }
    this.note(event.callId, run?.session ?? this.header.session, { facts, failedOpen, run });
  }

  private note(callId: string, session: string, said: OpenCall): void {
    const key = keyOf(callId, session);
    const call = this.open.get(key);
    this.open.set(key, {
      facts: { ...call?.facts, ...said.facts },
      failedOpen: [...(call?.failedOpen ?? []), ...said.failedOpen],
      run: said.run ?? call?.run ?? null,
    });
  }

  private row(record: CallRecord, { seq, prev, at }: Entry, line: Buffer): AuditRow {
    const session = this.sessionOf(record);
    const key = keyOf(record.callId, session);
    const call = this.open.get(key);
    this.open.delete(key);
    const run = call?.run ?? this.sessions.get(session) ?? null;
    const actor = isJsonObject(run?.actor) ? run.actor : {};
    const caller = run?.caller ?? null;
    return {
      time: at === undefined ? null : new Date(at).toISOString(),
      session,
      actor: textOf(actor.id),
      email: textOf(actor.email),
      tenant: textOf(actor.tenant),
      tier: textOf(actor.tier),
      agent: (caller?.chain ?? []).join(' > '),
      depth: caller?.depth ?? 0,
      tool: record.tool,
      call: record.callId,
      verdict: record.verdict,
      by: record.by,
      reason: record.reason,
      digest: record.digest,
      facts: call?.facts ?? {},
      failed_open: call?.failedOpen.length ? call.failedOpen.join('; ') : null,
      policy: this.policy,
      tape: this.name,
      seq,
      hash: hashLine(line),
      prev,
    };
  }
}

function withActor(run: RunFacts | null, behind: RecordedWho | undefined, session: string): RunFacts | null {
  if (behind === undefined) return run;
  return { session: run?.session ?? session, actor: behind.actor, caller: behind.caller };
}

/** A hook that an earlier block kept from its turn has not failed. */
function didFailOpen({ policy, state }: HookPart): boolean {
  return policy !== undefined && isFailOpen(policy) && state !== 'unreached';
}

function whyOf({ failure, reason }: HookPart): string {
  return textOf(failure?.message) ?? textOf(reason) ?? 'it failed';
}

function keyOf(callId: string, session: string): string {
  return `${session}\n${callId}`;
}

/** A redacted id is still one that can be told from others. */
function textOf(value: Json | undefined): string | null {
  if (typeof value === 'string') return value;
  return isJsonObject(value) && typeof value.digest === 'string'
    ? `[redacted ${value.digest.slice(0, 12)}]`
    : null;
}

function invalid(path: string, what: string): Error {
  return new HarnessError('TAPE_INVALID', `${path} ${what}`);
}
