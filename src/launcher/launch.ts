/**
 * One event of an outside agent, from its payload to its answer: read, decided by the policy of the session, recorded, and put
 * into the agent's words. What keeps it from being decided is returned as a problem.
 */
import { existsSync, lstatSync, type Stats } from 'node:fs';
import { basename, dirname, join, resolve } from 'node:path';
import {
  type Adapter,
  type Answer,
  canaryAnswer,
  canaryToken,
  carriable,
  degrade,
  type EventRow,
  isUnreadable,
  type NativeCall,
  type Verdict,
  verdictOf,
} from '../agents/index.ts';
import { isJsonObject, kindOf, readJson } from '../base/index.ts';
import { makeFile, makeFolder } from '../machine/index.ts';
import { type FileRunStore, layerPlaces, type PolicySettings, SESSIONS_OF } from '../policy/index.ts';
import { RUNS, recordsFolder } from '../session/index.ts';
import { cleanData, type EntryMark, redactorFor } from '../tape/index.ts';
import { askRemotely, type RemoteApproval } from './ask-elsewhere.ts';
import { decideCall } from './decider.ts';
import type { DecisionContext } from './decision-context.ts';
import { DuplicateAnswers } from './duplicates.ts';
import type { HookOptions } from './hook-options.ts';
import { identified } from './identify.ts';
import {
  faultKey,
  faultRecord,
  LaunchSession,
  ROOT_KEY,
  type SessionParts,
  TAPE_END,
} from './launch-session.ts';
import type { LaunchProblem } from './problem.ts';
import type { Fault, NoteFault } from './run-hook.ts';

export { ownContext } from './decision-context.ts';

/** Told as soon as it is known, so that a fault after that can be answered and recorded better. */
export interface Progress {
  readonly event: (row: EventRow, call: NativeCall | null) => void;
  readonly session: (note: NoteFault) => void;
  /** The policy that decides, once it is known. */
  readonly settings?: (settings: PolicySettings) => void;
}

export async function launch(
  adapter: Adapter,
  options: HookOptions,
  text: string,
  progress: Progress,
  around: DecisionContext,
): Promise<Answer | LaunchProblem> {
  const place = runsPlace(options, around);
  const runs = join(place.root, place.inside);
  const waitMs = Math.min(2000, options.deadlineMs / 3);
  const sessions = around.sessions(runs);
  const store = around.store(sessions, waitMs);
  progress.session((fault) => countFault(store, runs, fault));
  const read = readCall(adapter, options.event, text, progress);
  if ('problem' in read) return read;
  progress.session((fault) =>
    Promise.all([countFault(store, runs, fault), noteUnjudged(around, runs, store, read, fault)]),
  );
  const root = await rootOf(options, read, store, around.cwd);
  if (typeof root !== 'string') return root;
  const now = await around.policy(options, root);
  const canary = canaryToken(around.host.env);
  if (canary !== null) return 'problem' in now ? now : canaryAnswer(adapter, read, canary);
  // Where the policy is gone with all that was kept, nothing is known of a session, and nothing is written in its place.
  if ('problem' in now && !existsSync(runs)) return now;
  makeFolders(place, sessions);
  const answers = join(sessions, 'state', 'answers');
  const duplicates = new DuplicateAnswers(around.answers, answers, adapter.agent, read, options.deadlineMs);
  const given = await duplicates.find();
  if (given !== null)
    return given.agent === adapter.agent ? given.answer : inWords(adapter, read, given.verdict);
  const answer = await decideFirst(
    adapter,
    options,
    { read, store, runs, sessions, root, now, waitMs },
    progress,
    around,
  ).catch((thrown: unknown) => {
    duplicates.release();
    throw thrown;
  });
  if ('problem' in answer) {
    duplicates.release();
    return answer;
  }
  duplicates.keep(answer.answer, answer.verdict);
  return answer.answer;
}

type Parts = Pick<SessionParts, 'store' | 'runs' | 'sessions' | 'root' | 'now' | 'waitMs'> & {
  readonly read: NativeCall;
};

/** As the first process that hears of a call. */
async function decideFirst(
  adapter: Adapter,
  options: HookOptions,
  { read, ...parts }: Parts,
  progress: Progress,
  around: DecisionContext,
): Promise<{ readonly answer: Answer; readonly verdict: Verdict } | LaunchProblem> {
  const known = await identified(read, parts.store.session(read.session));
  if ('problem' in known) return known;
  const { call } = known;
  const session = await LaunchSession.open({ adapter, options, around, ...parts, ...known });
  if ('problem' in session) return session;
  progress.session((fault) => session.noteFault(fault));
  progress.settings?.(session.settings);
  const { root } = parts;
  const elsewhere = async () => {
    await session.flush();
    return askRemotely({ adapter, call, root, options, around, policy: session.settings });
  };
  return decided(adapter, call, session, elsewhere);
}

/** What was decided for a line of another agent, in the words of this one. */
function inWords(adapter: Adapter, call: NativeCall, verdict: Verdict): Answer {
  return adapter.answer(call.row, call, degrade(verdict, call.row, call).verdict);
}

/** The folder whose policy holds: the project, or the folder that the session of a user began in. */
async function rootOf(
  { dir, user }: HookOptions,
  { session, cwd }: NativeCall,
  store: FileRunStore,
  from: string,
): Promise<string | LaunchProblem> {
  if (dir !== null) return resolve(from, dir);
  if (user !== null && !existsSync(resolve(from, user)))
    return { problem: `the policy folder of the user is gone: ${user}` };
  const known = await store.session(session).get(ROOT_KEY);
  if (!known.ok) return { problem: known.error.message };
  return typeof known.value === 'string' ? known.value : resolve(from, cwd ?? '.');
}

/** A fault before there is a session. Nothing is written where no policy is. */
async function countFault(store: FileRunStore, runs: string, { open }: Fault): Promise<void> {
  if (existsSync(runs)) await store.user().incr(faultKey(open));
}

/** A call that is answered before anybody judged it is on the tape of its session, if that was begun. */
async function noteUnjudged(
  { host, tapes }: DecisionContext,
  runs: string,
  store: FileRunStore,
  call: NativeCall,
  fault: Fault,
): Promise<void> {
  const record = faultRecord(call, fault);
  const end = await store.session(call.session).get(TAPE_END);
  await tapes(runs, {}).addTo(
    call.session,
    { ...record, data: cleanData(record.data, redactorFor({ host })) },
    host.now(),
    end.ok ? (end.value as EntryMark | undefined) : undefined,
  );
}

function readCall(
  adapter: Adapter,
  event: string | null,
  text: string,
  { event: onEvent }: Progress,
): NativeCall | LaunchProblem {
  const reading = readJson(text);
  if (!reading.ok) {
    const { message, line, col } = reading;
    return { problem: `the payload is not usable JSON: ${message} at ${line}:${col}` };
  }
  if (!isJsonObject(reading.value))
    return { problem: `want an object as payload, got ${kindOf(reading.value)}` };
  const call = adapter.read(reading.value, event);
  if (isUnreadable(call)) {
    if (call.row !== null) onEvent(call.row, null);
    return { problem: call.problem };
  }
  onEvent(call.row, call);
  return call;
}

interface RunsFolder {
  /** A folder of a person's choice. */
  readonly root: string;
  /** In it, ours. */
  readonly inside: string;
}

/** Where tapes are: beside the policy that decides. */
function runsPlace({ dir, user }: HookOptions, { runs, cwd, host }: DecisionContext): RunsFolder {
  if (runs !== undefined) return { root: dirname(runs), inside: basename(runs) };
  if (dir !== null) return { root: resolve(cwd, dir), inside: RUNS };
  return { root: resolve(cwd, user ?? layerPlaces(host).user ?? '.harness'), inside: 'runs' };
}

/** Throws if they cannot be had, and if a link is in the way. */
function makeFolders({ root, inside }: RunsFolder, sessions: string): void {
  const path = join(root, inside);
  // A process that decides for many calls has made them before; what stands there now is still that folder.
  const before = runsFolderIds.get(sessions);
  const found = before && lstatSync(path, { throwIfNoEntry: false });
  if (found !== undefined && found.ino === before?.ino && found.dev === before.dev) return;
  if (!existsSync(root)) makeFolder(root, 0o700);
  const runs = recordsFolder(root, inside, 0o700);
  if (!existsSync(sessions)) {
    makeFolder(sessions, 0o700);
    makeFile(join(sessions, SESSIONS_OF), runs, 0o600);
  }
  runsFolderIds.set(sessions, lstatSync(path));
  if (runsFolderIds.size > MOST_MADE) runsFolderIds.delete(runsFolderIds.keys().next().value!);
}

/** By the folder of sessions: that of the tapes. */
const runsFolderIds = new Map<string, Pick<Stats, 'dev' | 'ino'>>();
const MOST_MADE = 64;

async function decided(
  adapter: Adapter,
  call: NativeCall,
  session: LaunchSession,
  elsewhere: () => Promise<RemoteApproval | null>,
): Promise<{ readonly answer: Answer; readonly verdict: Verdict } | LaunchProblem> {
  const { outcomes, also, open } = await decideCall(session.engine, call, elsewhere);
  const said = verdictOf(outcomes, call.payloads, also);
  const asked = said.action === 'ask' && open.length > 0 ? { ...said, open: true } : said;
  const switchedOff = session.switchedOff();
  const verdict = session.heldBack() ?? switchedOff ?? carriable(call, outcomes, asked);
  const capped = await session.capStops(verdict);
  const {
    verdict: final,
    notes,
    lost,
    later,
    contextLater,
  } = degrade(session.withEarlierContext(capped), call.row, call);
  const told = lost ? notes.map((note) => `harness: ${note}\n`).join('') : '';
  const closing = {
    verdict: final,
    notes: switchedOff?.action === 'block' ? [...notes, switchedOff.reason] : notes,
    lost,
    later: later ?? null,
    contextLater: contextLater ?? null,
    outcomes: [...outcomes, ...also],
    open,
  };
  const problem = await session.close(closing);
  if (problem !== null) return { problem };
  const answer = adapter.answer(call.row, call, session.asShown(final));
  return { answer: { ...answer, stderr: answer.stderr + told }, verdict: capped };
}
