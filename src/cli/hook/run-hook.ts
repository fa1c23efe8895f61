/**
 * The process that an agent starts for one event and that no daemon answers for: reads stdin, decides, prints one answer and
 * ends. Whatever goes wrong on the way, and if nothing comes in time, it answers too: with a block where the agent honours one.
 */
import { isUtf8 } from 'node:buffer';
import type { Adapter, Answer, EventRow, NativeCall } from '../../adapters/adapter.ts';
import { denyAnswer, goOnAnswer } from '../../adapters/deny.ts';
import { loadAdapter } from '../../adapters/load-adapter.ts';
import { machineHost } from '../../base/host.ts';
import { daemonFolder } from '../../daemon/place.ts';
import { appendPauseLog, currentPause, type Pause } from '../../policy/pause.ts';
import type { PolicySettings } from '../../policy/policy.ts';
import { stateFolder } from '../../policy/state-folder.ts';
import { type CodeCache, keepNoCode } from './code-cache.ts';
import type { HookOptions } from './hook-options.ts';
import { printAnswer, readInput } from './standard-streams.ts';
import type { Surroundings } from './surroundings.ts';

/** What goes wrong before or beside a decision, as the one who keeps count of it is told. */
export interface Fault {
  readonly problem: string;
  /** The operator chose that the agent goes on: a guard that was off. */
  readonly open: boolean;
}

/** Set by the part that has the session open, so that faults are on record. */
export type NoteFault = (fault: Fault) => Promise<unknown>;

/** Of the deadline, so much more for the record of a fault: the line that waits for the launcher has a quarter left. */
const NOTE_SHARE = 0.1;

const GUARD_OFF = 'GUARD OFF (--fail open), the agent goes on: ';

const SILENCE: Answer = { stdout: '', stderr: '', exitCode: 0 };

/** For an event that no table knows: agents take it as a block, or as nothing. */
const BLOCKED = 2;

/** What the launcher's own entry knows; absent if it was started as a command. */
export interface Started {
  readonly cache: CodeCache;
  readonly entry: string;
  /** Of stdin, if it is being read already. */
  readonly input?: Promise<Buffer>;
  /** Of the deadline, what has passed. */
  readonly spentMs?: number;
  /** The daemon is gone and left its socket. */
  readonly dead?: boolean;
}

/** `around` is what it decides with, if that is at hand already. */
export function runHook(
  options: HookOptions,
  started: Started | null = null,
  around: Surroundings | null = null,
): void {
  const call = new HookProcess(options, started, around);
  process.on('uncaughtException', (error) => call.fault(wordsOf(error)));
  process.on('unhandledRejection', (error) => call.fault(wordsOf(error)));
  const leftMs = Math.max(0, options.deadlineMs - (started?.spentMs ?? 0));
  setTimeout(() => call.fault(`no decision within ${options.deadlineMs} ms`), leftMs);
  call.run().catch((error: unknown) => call.fault(wordsOf(error)));
}

class HookProcess {
  private readonly options: HookOptions;
  private readonly started: Started | null;
  private readonly around: Surroundings | null;
  private adapter: Adapter | null = null;
  private row: EventRow | null = null;
  private call: NativeCall | null = null;
  private noteFault: NoteFault | null = null;
  /** It is being answered for: what is decided after that comes too late. */
  private over = false;
  /** What is left to do once the answer is given. */
  private afterwards: (() => void) | null = null;
  private wantsDaemon = false;

  constructor(options: HookOptions, started: Started | null, around: Surroundings | null) {
    this.options = options;
    this.started = started;
    this.around = around;
  }

  async run(): Promise<void> {
    const { agent, event } = this.options;
    // The agent may take its time to write: what decides is loaded meanwhile.
    const input = this.started?.input ?? readInput();
    input.catch(() => {});
    this.adapter = await loadAdapter(agent);
    if (this.adapter === null) return this.fault(`unknown agent ${agent}`);
    this.row = this.adapter.events.find(({ native }) => native === event) ?? null;
    const pause = currentPause(machineHost);
    if (pause !== null) return this.passUnguarded(pause);
    const { launch, ownSurroundings } = await import('./launch.ts');
    const bytes = await input;
    if (!isUtf8(bytes)) return this.fault('the payload is not UTF-8 text');
    const progress = {
      event: (row: EventRow, call: NativeCall | null) => {
        this.row = row;
        this.call = call;
      },
      session: (note: NoteFault) => {
        this.noteFault = note;
      },
      settings: ({ asking }: PolicySettings) => {
        this.wantsDaemon = asking.daemonOnDemand;
      },
    };
    const text = bytes.toString('utf8');
    const around = this.around ?? ownSurroundings();
    const answer = await launch(this.adapter, this.options, text, progress, around);
    if ('problem' in answer) return this.fault(answer.problem);
    if (this.over) return;
    // A call before it runs takes nearly every way that others take: its code serves all of them.
    if (around.keep() || this.row?.event !== 'tool.pre') keepNoCode();
    this.started?.cache.save();
    await this.prepare();
    this.finish(answer);
  }

  /** What those after this one gain from. It is done when the agent has its answer; if it cannot be, the next call tries again. */
  private async prepare(): Promise<void> {
    const { agent, dir, user, mark } = this.options;
    const folder = daemonFolder(machineHost);
    if (this.started === null || folder === null) return;
    const { entry, dead = false } = this.started;
    try {
      if (dead || this.wantsDaemon) {
        const { clearSocket, startDaemon } = await import('./start-daemon.ts');
        // The user wants one on demand. A socket that nobody listens on keeps others from starting from a snapshot.
        this.afterwards = () => (this.wantsDaemon ? startDaemon(folder, entry) : clearSocket(folder));
      } else if (this.around === null && dir !== null && mark) {
        const { startHolding } = await import('../snapshot/start-holding.ts');
        // The next processes could start from a heap with this policy in it.
        this.afterwards = () => startHolding(entry, { dir, user }, [agent]);
      }
    } catch {
      // It is never needed.
    }
  }

  /** A person paused the guards: nothing is decided, and it is said and written down. */
  private passUnguarded({ until, reason }: Pause): never {
    const { agent, event } = this.options;
    try {
      const state = stateFolder(machineHost);
      const entry = { time: machineHost.now(), what: 'passed', agent, event: event ?? '' };
      if (state !== null) appendPauseLog(state, entry);
    } catch {
      // The pause itself is on record.
    }
    const said = `harness: GUARD PAUSED until ${new Date(until).toISOString()}: ${reason}`;
    const { adapter, row } = this;
    const answer = adapter === null || row === null ? SILENCE : goOnAnswer(adapter, row, said);
    return this.finish({ ...answer, stderr: `${said}\n` });
  }

  /** Answers in place of a decision that was not made, once that is on record, or cannot be in a moment. */
  fault(problem: string): void {
    if (this.over) return;
    this.over = true;
    const open = this.options.fail === 'open';
    const { adapter, row, noteFault } = this;
    const said = `harness: ${open ? GUARD_OFF : ''}${problem}\n`;
    const finish = (): never => {
      if (adapter === null || row === null) {
        return this.finish({ stdout: '', stderr: said, exitCode: open ? 0 : BLOCKED });
      }
      const answer = open
        ? goOnAnswer(adapter, row, `Harness: ${GUARD_OFF}${problem}`)
        : denyAnswer(adapter, row, `Blocked: the policy could not decide: ${problem}`, this.call);
      return this.finish({ ...answer, stderr: answer.stderr === '' ? said : answer.stderr });
    };
    if (noteFault === null) finish();
    else {
      setTimeout(finish, this.options.deadlineMs * NOTE_SHARE);
      // What is being answered for may be that nothing can be written.
      noteFault({ problem, open }).then(finish, finish);
    }
  }

  private finish(answer: Answer): never {
    const code = printAnswer(answer, this.options.mark);
    this.afterwards?.();
    process.exit(code);
  }
}

function wordsOf(error: unknown): string {
  return error instanceof Error ? `${error.name}: ${error.message}` : String(error);
}
