/**
 * Opens a tape for a session: its header names the policy, its recorder goes into an engine, and what else happens is noted
 * beside it.
 *
 * ```ts
 * const tape = openTape('.harness/runs/a.jsonl', { session, hooks, project, host: machineHost });
 * const engine = new Engine({ hooks, host: machineHost, run, recorder: tape.recorder });
 * …
 * tape.call({ callId: 'c1', tool: 'run_command', verdict: 'ran', digest });
 * tape.close();
 * ```
 */
import type { KeyObject } from 'node:crypto';
import type { HarnessError, Json, JsonObject } from '../base/index.ts';
import type { Caller, Hook, Recorder } from '../engine/index.ts';
import { type TapePayloads, UNREADABLE } from '../files/index.ts';
import type { Project } from '../frontends/index.ts';
import type { Host } from '../machine/index.ts';
import { describeHook, type LayerDigest, type PolicyDigest, policyDigest } from '../policy/index.ts';
import { secretVariables } from '../secrets/index.ts';
import { cleanData, KEEP_ALL } from './clean.ts';
import { contentsOf } from './contents.ts';
import {
  type CallRecord,
  type Header,
  type PolicyChangedRecord,
  TAPE_VERSION,
  type TapeRecord,
} from './entry.ts';
import type { EntryMark } from './go-on.ts';
import { type RecordSink, TapeRecorder } from './record.ts';
import { createRedactor, digestsOnly, type Redact, type RedactionRule } from './redact.ts';
import type { TapeStore } from './store.ts';
import { StoreSink } from './store-sink.ts';
import { type Acknowledge, TapeWriter } from './writer.ts';

export interface OpenTapeOptions {
  readonly session: string;
  /** All hooks of the engine as it begins. Those that come later are put on the tape when they do. */
  readonly hooks: Iterable<Hook>;
  /** The files they were read from. */
  readonly project?: Pick<Project, 'files' | 'settings' | 'snapshot'>;
  /** The policy by its content, if it is known already. */
  readonly policy?: PolicyDigest;
  /** Of that policy, from the highest to the lowest; by default it is one layer, `project`. */
  readonly layers?: readonly LayerDigest[];
  /** The digest of the policy that decided on this tape last, if it is gone on with: another one is then put on record. */
  readonly lastPolicy?: string;
  readonly host: Host;
  /** Name and version of the program that decides. */
  readonly engine?: string;
  /** Who fires the events. */
  readonly firedBy?: string;
  /** Of a file. A store has its own. */
  readonly acknowledge?: Acknowledge;
  /** What is kept of payloads, results and readings; by default `redacted`. */
  readonly payloads?: TapePayloads;
  /** Beside the usual ones. */
  readonly redact?: readonly RedactionRule[];
  /** Of a file. A store has its own. */
  readonly sign?: { readonly key: KeyObject; readonly every?: number };
  /** Of a store: other processes append to the same tape, which is let go after every decision. */
  readonly shared?: boolean;
  /**
   * Of a shared store: what is recorded is written by `flush` or `close`, all of it at once. For a host that answers nobody before
   * then. A dispatch that waits is written as ever.
   */
  readonly deferred?: boolean;
  /** An entry that is remembered of a tape that is gone on with: one that does not have it any more is no record. */
  readonly after?: EntryMark;
  /** The number of a `run` entry that the tape has already: a later process of the same run writes no other. */
  readonly runEntry?: number;
  /** Told once when the tape cannot be written any more. Without it the engine does not decide unrecorded: it throws. */
  readonly onBroken?: (error: HarnessError) => void;
}

/** How an attempt to call a tool ended, as a host says it. */
export type CallReport = Pick<CallRecord, 'callId' | 'tool' | 'verdict'> &
  Partial<Omit<CallRecord, 'type' | 'callId' | 'tool' | 'verdict'>>;

/** For whom a host decides that has no engine of its own to say it. */
export interface RunReport {
  readonly run: number;
  readonly actor?: Json;
  readonly caller?: Caller | null;
  readonly settings?: JsonObject;
}

/** What is written is acknowledged when it returns, or when what it returns resolves. */
export type Recording = void | Promise<void>;

export interface OpenTape {
  /** The file, or the session of a store. */
  readonly path: string;
  readonly header: Header;
  /** For the `recorder` of one engine or several. */
  readonly recorder: Recorder;
  /** Data without the secrets that this tape takes out, for other records of the same session. */
  readonly hide: (data: Json) => Json;
  /** Something that happened beside the hooks. `ms` is kept and never compared. */
  readonly note: (kind: string, data: Json, ms?: number) => Recording;
  /** One attempt to call a tool; `ms` is how long the tool took. */
  readonly call: (report: CallReport, ms?: number) => Recording;
  /** An engine writes its own. */
  readonly run: (report: RunReport) => Recording;
  readonly policyChanged: (change: Omit<PolicyChangedRecord, 'type'>) => Recording;
  /** Facts on record, about a call or about the session; nothing follows from them. */
  readonly annotate: (facts: JsonObject, callId?: string) => Recording;
  /** Writes what was recorded and not written yet. */
  readonly flush: () => Recording;
  readonly close: () => Recording;
  /** Of a store, once something was acknowledged: what a later process can hold the tape against. */
  readonly end: () => EntryMark | null;
}

/** Goes on with a tape of the same session. Of a file it throws TAPE_LOCKED, TAPE_INVALID or TAPE_WRITE_FAILED. */
export function openTape(target: string | TapeStore, options: OpenTapeOptions): OpenTape {
  const { project, runEntry, shared = false, deferred = false } = options;
  const hooks = [...options.hooks];
  const header = headerFor(hooks, options);
  const redact = redactorFor(options);
  const sink = sinkFor(target, header, redact, options);
  const { lastPolicy } = options;
  if (lastPolicy !== undefined && lastPolicy !== header.policy.digest) {
    const { policy } = header;
    sink.add({ accepted: true, from: lastPolicy, policy, to: policy.digest, type: 'policy.changed' });
  }
  const write = (record: TapeRecord, ms?: number): Recording => {
    sink.add(record, ms);
    if (deferred) return;
    const done = sink.commit();
    // A host may leave it at that: the next decision fails then.
    if (done instanceof Promise) done.catch(() => {});
    return done;
  };
  return {
    path: typeof target === 'string' ? (sink as TapeWriter).path : options.session,
    header,
    hide: (data) => cleanData(data, redact),
    recorder: new TapeRecorder(sink, {
      known: hooks,
      describe: (hook) => describeHook(hook, filesOf(hook, project)),
      contents: options.payloads === 'digest' ? null : contentsOf(target),
      ...(shared && { first: anyNumber(options.host) }),
      ...(runEntry !== undefined && { run: runEntry }),
      deferred,
    }),
    note: (kind, data, ms) => write({ data, kind, type: 'session' }, ms),
    call: (report, ms) => write(callRecord(report), ms),
    run: ({ run: number, actor = null, caller = null, settings = {} }) =>
      write({ actor, caller, run: number, settings, type: 'run' }),
    policyChanged: (change) => write({ ...change, type: 'policy.changed' }),
    annotate: (facts, callId) => write({ ...(callId !== undefined && { callId }), facts, type: 'annotate' }),
    flush: () => sink.commit(),
    close: () => sink.close(),
    end: () => sink.end,
  };
}

interface ClosingSink extends RecordSink {
  close(): Recording;
  readonly end: EntryMark | null;
}

function sinkFor(
  target: string | TapeStore,
  header: Header,
  redact: Redact,
  { host, acknowledge, sign, onBroken, after, shared = false }: OpenTapeOptions,
): ClosingSink {
  const told = { ...(onBroken !== undefined && { onBroken }), ...(after !== undefined && { after }) };
  const now = () => host.now();
  if (typeof target !== 'string') return new StoreSink(target, { header, redact, now, shared, ...told });
  return TapeWriter.open(target, {
    header,
    redact,
    now,
    ...(acknowledge !== undefined && { acknowledge }),
    ...(sign !== undefined && { sign }),
    ...told,
  });
}

function headerFor(hooks: readonly Hook[], options: OpenTapeOptions): Header {
  const { host, project, layers } = options;
  const policy: PolicyDigest =
    options.policy ?? policyDigest({ hooks, host, ...(project !== undefined && { project }) });
  const whole = [{ name: 'project', digest: policy.digest }];
  const known = layers ?? (policy.layers?.length ? policy.layers : whole);
  return {
    engine: options.engine ?? 'harness-hooks',
    host: options.firedBy ?? 'harness',
    policy: { ...policy, layers: known },
    session: options.session,
    started: new Date(host.now()).toISOString(),
    tape: TAPE_VERSION,
  };
}

/** What takes secrets out of the records of such a tape. */
export function redactorFor({
  host,
  payloads = 'redacted',
  redact = [],
}: Pick<OpenTapeOptions, 'host' | 'payloads' | 'redact'>): Redact {
  if (payloads === 'full') return KEEP_ALL;
  const usual = createRedactor({ rules: redact, values: secretVariables(host) });
  return payloads === 'digest' ? digestsOnly(usual) : usual;
}

/** Keys in sorted order, as all records have them. */
function callRecord(report: CallReport): CallRecord {
  const { args, by = null, callId, digest = null, reason = null, sandbox, session, tool, verdict } = report;
  return {
    ...(args !== undefined && { args }),
    by,
    callId,
    digest,
    reason,
    ...(sandbox !== undefined && { sandbox }),
    ...(session !== undefined && { session }),
    tool,
    type: 'call',
    verdict,
  };
}

/** Processes that share a tape each begin somewhere else, so that no two dispatches have one number. */
function anyNumber(host: Host): number {
  return Number.parseInt(host.uuid().replaceAll('-', '').slice(0, 8), 16);
}

/** Of a hook that came later: its file as it was read, or none if it is code. */
function filesOf({ source }: Hook, project: OpenTapeOptions['project']): Readonly<Record<string, string>> {
  const digest = project?.snapshot.digest(source) ?? UNREADABLE;
  return digest === UNREADABLE ? {} : { [source]: digest };
}
