/**
 * An agent ready to be asked: the session over a project's hooks, tools and settings, with its tape, its transcript and
 * its display. Closing it fires `session.end` and ends what it started, whatever happened before.
 */
import { dirname, join, resolve, sep } from 'node:path';
import {
  type AgentProject,
  connectMcp,
  delegationOptions,
  type Hide,
  loadAgent,
  offeredTools,
  openTranscript,
  type Provider,
  recordSession,
  Session,
  type SessionEvent,
  type TranscriptFile,
  type TranscriptHeader,
} from '../agent/index.ts';
import { HarnessError, type Problem } from '../base/index.ts';
import { type Actor, type Approvals, describeThrown } from '../engine/index.ts';
import { machineHost } from '../machine/index.ts';
import { type Policy, queuedApprovals, userRunStore, waitForAccept, watchPolicy } from '../policy/index.ts';
import {
  openSessionTape,
  RUNS,
  recordsFolder,
  type SessionTapeOptions,
  TRANSCRIPTS,
} from '../session/index.ts';
import type { OpenTape } from '../tape/index.ts';
import {
  type Arguments,
  countOf,
  isInHarnessFile,
  noteMissing,
  type Output,
  openTrusted,
  renderProblem,
  type TrustOptions,
  UsageError,
} from '../terminal/index.ts';
import { chooseModel, type Model, type ModelChoice, ScriptProblems } from './choose-model.ts';
import { policyOn, type Resume } from './resumed.ts';
import { resumeRun } from './resumed-run.ts';
import { acceptedTools } from './wanted-tools.ts';

export interface StartOptions {
  readonly maxTurns?: number | undefined;
  /** Where the tape goes; in the project's `.harness/runs` by default. */
  readonly tape?: string | undefined;
  /** The file of the key that the tape is signed with; default: that of the user's layer, if it names one. */
  readonly sign?: string | undefined;
  /** Whom it works for; null if nobody said. */
  readonly actor?: Actor | null;
  /** Which command it is, for the header of the tape. */
  readonly firedBy: string;
  /** Where people are asked about calls that need it. */
  readonly approvals?: Approvals;
  /** The people who look at the user's queue are asked too. */
  readonly queued?: boolean;
  readonly onEvent: (event: SessionEvent) => void;
  /** The session it goes on with. */
  readonly resume?: Resume | null;
  /** Lets the caller slow a model down or watch it. */
  readonly around?: (provider: Provider) => Provider;
}

/** Everything that was read; nothing has been written or started. */
export interface PreparedAgent {
  readonly agent: AgentProject;
  readonly model: Model;
}

export interface OpenAgent {
  readonly session: Session;
  /** The one that answers now. */
  readonly model: () => Model;
  /** Lets another one answer from the next prompt on; rejects if there is no such model. */
  readonly useModel: (name: string) => Promise<void>;
  readonly hooks: number;
  readonly tools: readonly string[];
  readonly tape: string;
  readonly transcript: string;
  /** Why the tape or the transcript is not whole, or null. */
  readonly recordFault: () => string | null;
  readonly close: () => Promise<void>;
}

/** Null after saying on stderr why nothing can be started. */
export async function prepareAgent(
  dir: string,
  choice: ModelChoice,
  output: Output,
  gate?: Arguments,
  { store = userRunStore(machineHost), ...options }: Pick<TrustOptions, 'confirm' | 'trust' | 'store'> = {},
): Promise<PreparedAgent | null> {
  const policy = await openTrusted(
    dir,
    { ...(gate !== undefined && { gate }), ...(store !== undefined && { store }), ...options, session: true },
    output,
  );
  const said = noteMissing(policy, output);
  const agent = await loadAgent(policy);
  for (const { kind, name, code, why } of agent.withheld) {
    const what = `${kind === 'server' ? 'MCP server' : 'model'} ${name}: ${why}`;
    output.note(`${output.paintNote('yellow', `warning[${code}]`)}: ${what}`);
  }
  if (!reportProblems(agent.problems, said, output)) return null;
  try {
    return { agent, model: chooseModel(agent, choice) };
  } catch (error) {
    if (!(error instanceof ScriptProblems)) throw error;
    for (const problem of error.problems) output.note(renderProblem(problem, output.paintNote));
    return null;
  }
}

export async function startAgent(
  { agent, model }: PreparedAgent,
  options: StartOptions,
  output: Output,
): Promise<OpenAgent> {
  const { policy, config } = agent;
  const provider = await model.connect();
  let current = model;
  const workspace = resolve(policy.root);
  const resume = options.resume ?? null;
  const sessionId = resume?.sessionId ?? machineHost.uuid();
  let session: Session | null = null;
  let fault: HarnessError | null = null;
  const stopFor = (error: HarnessError) => {
    fault ??= error;
    output.note(`${output.paintNote('red', `error[${error.code}]`)}: ${error.message}`);
    // Before whatever waits for the answer that was not recorded goes on.
    queueMicrotask(() => void session?.close('error'));
  };
  const tapePath = resolve(options.tape ?? join(workspace, RUNS, `${sessionId}.jsonl`));
  const lastPolicy = resume === null ? null : policyOn(tapePath);
  const tape = tapeAt(policy, {
    target: tapePath,
    session: sessionId,
    host: machineHost,
    firedBy: options.firedBy,
    sign: options.sign,
    // What cannot be recorded is not gone on with; `session.end` still fires.
    onBroken: (error) => stopFor(error),
  });
  const path = join(workspace, TRANSCRIPTS, `${sessionId}.jsonl`);
  const header = { sessionId, startedAt: machineHost.now(), model: model.name };
  const transcript = transcriptAt(path, { ...header, ...(resume && { entries: resume.entries }) }, tape.hide);
  policy.guarded.add({ files: [tape.path, path] });
  const recordEvent = recordSession(tape);
  const servers = await connectMcp(config.mcpServers, {
    host: machineHost,
    workspace,
    pass: policy.settings.environment.pass,
    wrap: (command) => policy.wrapped(workspace, command),
  });
  for (const { server, code, message } of servers.faults) {
    output.note(`${output.paintNote('yellow', `warning[${code}]`)}: MCP server ${server}: ${message}`);
  }
  const wanted = await acceptedTools(servers.tools, policy, tape, output);
  const { offered, denied } = offeredTools(agent, wanted);
  const limits = options.maxTurns === undefined ? {} : { maxTurns: options.maxTurns };
  let asking = new AbortController();
  const watch = watchPolicy(policy, {
    accept: 'stricter',
    onChange: (change) => {
      asking.abort();
      asking = new AbortController();
      const { from, to, held, next, accept } = change;
      // What decides from here on is what a replay needs to know.
      const record = (reason: string | null) =>
        tape.policyChanged({
          ...{ from, to, accepted: reason === null },
          ...(reason === null ? { policy: next.digest } : { reason }),
        });
      void record(held);
      noteChange(held, output);
      if (held === null) return;
      const { signal } = asking;
      const about = { host: options.firedBy, session: sessionId, folder: workspace };
      const person = options.approvals?.request ?? null;
      const waiting = { before: policy, next, reason: held, about, person, signal };
      const told = () => output.note(`See and accept it with: harness accept ${sessionId}`);
      void waitForAccept(waiting, machineHost, told).then((accepted) => {
        if (!accepted) return;
        accept();
        void record(null);
        noteChange(null, output);
      });
    },
  });
  const approvals =
    options.queued === true
      ? queuedApprovals({
          about: { host: options.firedBy, session: sessionId, folder: workspace },
          person: options.approvals?.request ?? null,
          asking: policy.settings.asking,
          note: (text) => output.note(text),
        })
      : options.approvals;
  session = new Session({
    config: {
      ...config.session,
      model: model.name,
      limits: { ...config.session.limits, ...limits },
      sessionId,
      transcriptPath: path,
      // Several prompts may follow one another; the end is when this is closed.
      oneShot: false,
    },
    ...(resume !== null && { messages: resume.messages }),
    provider: options.around?.(provider) ?? provider,
    tools: offered,
    policy,
    recorder: tape.recorder,
    ...delegationOptions(agent),
    withheld: denied.map(({ tool }) => [tool.name, 'tools_policy'] as const),
    providerFor: model.other,
    workspace,
    actor: options.actor ?? null,
    ...(approvals !== undefined && { approvals }),
    onEvent: (event) => {
      if (event.type === 'tool.start') watch.callStarted(event.callId);
      if (event.type === 'tool.end') watch.callEnded(event.callId);
      options.onEvent(event);
      recordEvent(event);
      if (event.type === 'end') void kept.save().catch(notKept);
      try {
        transcript.onEvent(event);
      } catch (thrown) {
        const known = thrown instanceof HarnessError;
        stopFor(
          known
            ? thrown
            : new HarnessError('TAPE_WRITE_FAILED', `cannot write ${path}: ${describeThrown(thrown)}`),
        );
      }
    },
  });
  const notKept = (thrown: unknown) => {
    const what = 'what hooks counted in this session is lost when it is resumed';
    output.note(`${output.paintNote('yellow', 'warning')}: ${what}: ${describeThrown(thrown)}`);
  };
  const kept = await resumeRun(policy.store, sessionId, session.runState, resume !== null);
  if (resume !== null) noteResumed(resume, lastPolicy, policy.digest.digest, output);
  return {
    session,
    model: () => current,
    useModel: async (name) => {
      const next = chooseModel(agent, { model: name });
      const connected = await next.connect();
      session?.useModel({ provider: options.around?.(connected) ?? connected, model: next.name });
      current = next;
    },
    hooks: policy.authored,
    tools: offered.map((tool) => tool.name),
    tape: tape.path,
    transcript: path,
    recordFault: () => fault?.message ?? transcript.failed()?.message ?? null,
    close: async () => {
      await watch.stop();
      asking.abort();
      await session?.close();
      await kept.save().catch(notKept);
      await servers.close();
      transcript.close();
      await tape.close();
    },
  };
}

/**
 * Hooks that cannot be loaded block what they might have guarded, and tools that cannot are not offered, so a session may
 * go on without them. Settings that cannot be read may have been its limits: then it may not.
 */
function reportProblems(problems: readonly Problem[], said: readonly Problem[], output: Output): boolean {
  const errors = problems.filter((problem) => problem.severity === 'error');
  const unsaid = errors.filter((problem) => !said.includes(problem));
  for (const problem of unsaid) output.note(renderProblem(problem, output.paintNote));
  const settings = errors.some(isInHarnessFile);
  if (settings) output.note('Nothing was started: the settings of the agent cannot be relied on.');
  const walls = errors.some(({ code }) => code === 'SANDBOX_UNAVAILABLE');
  if (walls) output.note('Nothing was started: it would run without the sandbox that is asked for.');
  return !settings && !walls;
}

/** Said at once: somebody who edits a rule believes that it is in force. */
function noteChange(held: string | null, output: Output): void {
  if (held === null)
    output.note(`${output.paintNote('yellow', 'policy changed')}: in force from the next event`);
  else output.note(`${output.paintNote('yellow', 'policy changed')}: not in force for this session: ${held}`);
}

/** What it goes on with, and whether other rules hold now than did then. */
function noteResumed(resume: Resume, before: string | null, now: string, output: Output): void {
  const { sessionId, messages } = resume;
  output.note(`going on with session ${sessionId}: ${countOf(messages.length, 'message')}`);
  const label = output.paintNote('yellow', 'policy changed');
  if (before === null) output.note(`${label}: it has no tape, so this is unknown; a new tape begins`);
  else if (before !== now) {
    output.note(
      `${label}: it was ${before.slice(0, 12)} and is ${now.slice(0, 12)}; the one of now is in force`,
    );
  }
}

function tapeAt(policy: Policy, options: SessionTapeOptions & { readonly target: string }): OpenTape {
  try {
    ignoreInGit(dirname(options.target));
    return openSessionTape(policy, options);
  } catch (error) {
    throw new UsageError(`cannot write the tape: ${(error as Error).message}`);
  }
}

/** The transcript holds no more than the tape: what is taken out of one is taken out of the other. */
function transcriptAt(path: string, header: TranscriptHeader, hide: Hide): TranscriptFile {
  try {
    ignoreInGit(dirname(path));
    return openTranscript(path, header, hide);
  } catch (error) {
    throw new UsageError(`cannot write the transcript: ${(error as Error).message}`);
  }
}

/** One that a person named is theirs. */
function ignoreInGit(folder: string): void {
  const inside = [RUNS, TRANSCRIPTS].find((each) => folder.endsWith(`${sep}${each}`));
  if (inside !== undefined) recordsFolder(folder.slice(0, -inside.length - 1), inside);
}
