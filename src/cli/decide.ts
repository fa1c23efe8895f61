/**
 * `harness decide`: fires events from the outside through a project's chain. What cannot be read or decided counts as a
 * block on events that can be blocked: a broken caller must not be a way around the policy.
 */

import { isJsonObject, type Json, readJson } from '../base/index.ts';
import { checkPayload, type Outcome, type Registry, requireEvent } from '../engine/index.ts';
import { sandboxIn, tighterOf } from '../machine/index.ts';
import type { Policy } from '../policy/index.ts';
import {
  type Arguments,
  actorOption,
  canonicalEvent,
  isJsonText,
  noteFailOpen,
  noteMissing,
  type Output,
  openTrusted,
  outcomeData,
  printOutcome,
  printStory,
  type Run,
  readLines,
  readText,
  UsageError,
} from '../terminal/index.ts';
import { reportFault } from './fault.ts';
import type { StoredSession } from './session-store.ts';
import { spelledPayload } from './spelled-payload.ts';

const BLOCKED = 2;

export const run: Run = async (args, output) => {
  if (!args.has('exit-code')) return decide(args, output);
  // Node exits with 1 on a stray error, which callers that look for a 2 would take for "go on".
  process.once('uncaughtException', (error) => {
    reportFault(error, output);
    process.exit(BLOCKED);
  });
  try {
    return await decide(args, output);
  } catch (error) {
    reportFault(error, output);
    return BLOCKED;
  }
};

async function decide(args: Arguments, output: Output): Promise<number> {
  if (args.has('lines') && args.has('explain')) {
    throw new UsageError('--lines prints JSON and cannot explain; use one of them');
  }
  const event = canonicalEvent(args.positionals[0]!);
  const actor = actorOption(args, 'actor');
  const kept = await storedSessionOf(args);
  const dir = args.value('dir') ?? '.';
  const open = { gate: args, ...(kept !== null && { store: kept.store }) };
  const policy = await openTrusted(dir, open, output);
  noteMissing(policy, output);
  const options = actor === undefined ? undefined : { actor };
  const decideHere = kept === null ? null : kept.decideIn(policy, options);
  const session: Session = {
    event,
    args,
    output,
    fire: async (given) => {
      const payload = withSandbox(event, spelledPayload(event, given), policy);
      const decided =
        decideHere === null ? policy.decide(event, payload, options) : decideHere(event, payload);
      const outcome = await decided;
      noteFailOpen(outcome, output);
      // A person is the caller's to ask, and an exit code cannot: an ask that is left is a 2.
      return policy.permit(outcome, options);
    },
    registry: policy.registry,
  };
  return args.has('lines') ? decideLines(session) : decideOnce(session);
}

/** Null without --session: then what is counted is thrown away, and the code that keeps it is not loaded. */
async function storedSessionOf(args: Arguments): Promise<StoredSession | null> {
  const session = args.value('session');
  return session === undefined ? null : (await import('./session-store.ts')).sessionStore(session);
}

/** A call as our own session would have it: with the sandbox that its programs would run in. */
function withSandbox(event: string, payload: Json, { settings }: Policy): Json {
  if (event !== 'tool.pre' || settings.sandbox === null || !isJsonObject(payload)) return payload;
  return { ...payload, sandbox: tighterOf(settings.sandbox, sandboxIn(payload.sandbox)) };
}

interface Session {
  readonly event: string;
  readonly args: Arguments;
  readonly output: Output;
  readonly fire: (payload: Json) => Promise<Outcome>;
  readonly registry: Registry;
}

async function decideOnce({ event, args, output, fire, registry }: Session): Promise<number> {
  const given = args.value('payload');
  const isText = isJsonText(given);
  const text = isText ? given : await readText(given);
  const name = isText ? '--payload' : (given ?? '-');
  const reading = text === null || text.trim() === '' ? { ok: true as const, value: null } : readJson(text);
  if (!reading.ok) {
    const where = `${name === '-' ? '<stdin>' : name}:${reading.line}:${reading.col}`;
    output.note(
      `${where}: ${output.paintNote('red', 'error')}: payload is not usable JSON: ${reading.message}`,
    );
    if (args.has('json')) output.line(JSON.stringify(unreadable(event, reading)));
    return BLOCKED;
  }
  const payload = spelledPayload(event, reading.value);
  for (const problem of checkPayload(event, payload)) {
    output.note(`${output.paintNote('yellow', 'warning')}: ${problem}`);
  }
  const outcome = await fire(payload);
  const hooks = registry.list(event);
  if (args.has('json')) output.line(JSON.stringify(outcomeData(outcome)));
  else if (args.has('explain')) printStory(outcome, hooks, output);
  else printOutcome(outcome, payload, output);
  return args.has('exit-code') && !outcome.mayRun ? BLOCKED : 0;
}

/** In order, one after the other: the hooks of a stream share one run, as those of a session do. */
async function decideLines({ event, args, output, fire }: Session): Promise<number> {
  let unread = 0;
  let stopped = 0;
  let number = 0;
  let blank = 0;
  for await (const line of readLines(args.value('payload'))) {
    number++;
    if (output.closed) break;
    // Blank lines at the end are no payloads. Between payloads one has to be answered: callers match answers by place.
    if (line !== null && line.trim() === '') {
      blank++;
      continue;
    }
    for (; blank > 0; blank--) {
      unread++;
      output.line(
        JSON.stringify(unreadable(event, { message: 'the line is empty', line: number - blank, col: 1 })),
      );
    }
    const reading =
      line === null ? { ok: false as const, message: 'not UTF-8 text', line: 1, col: 1 } : readJson(line);
    if (!reading.ok) {
      unread++;
      output.line(JSON.stringify(unreadable(event, { ...reading, line: number })));
      continue;
    }
    const outcome = await fire(reading.value);
    if (!outcome.mayRun) stopped++;
    output.line(JSON.stringify(outcomeData(outcome)));
  }
  if (unread > 0)
    output.note(`${output.paintNote('red', 'error')}: ${unread} of ${number} lines could not be read`);
  // A line that could not be read was answered with a block, and counts as one.
  if (args.has('exit-code') && stopped + unread > 0) return BLOCKED;
  return unread > 0 ? 1 : 0;
}

/** What stands in the place of an outcome when there was no payload to decide on. */
function unreadable(
  event: string,
  error: { message: string; line: number; col: number },
): Record<string, unknown> {
  const { message, line, col } = error;
  const reason = `payload is not usable JSON: ${message}`;
  const action = requireEvent(event).honours.block === true ? 'block' : 'allow';
  return {
    event,
    action,
    reason,
    hook: null,
    payload: null,
    effects: [],
    trace: [],
    error: { message, line, col },
  };
}
