/**
 * The process that an agent starts for one event and that no daemon answers for: reads stdin, decides, prints one answer and
 * ends. Whatever goes wrong on the way, and if nothing comes in time, it answers too: with a block where the agent honours one.
 */
import { isUtf8 } from 'node:buffer';
import {
  type Adapter,
  type Answer,
  denyAnswer,
  type EventRow,
  goOnAnswer,
  loadAdapter,
  type NativeCall,
} from '../agents/index.ts';
import { machineHost } from '../machine/index.ts';
import type { PolicySettings } from '../policy/index.ts';
import { daemonFolder, usesDaemon } from './daemon/place.ts';
import type { HookOptions } from './hook-options.ts';
import { launch, ownContext } from './launch.ts';
import { pausedAnswer } from './paused.ts';
import { printAnswer, readInput } from './standard-streams.ts';

/** What goes wrong before or beside a decision, as the one who keeps count of it is told. */
export interface Fault {
  readonly problem: string;
  /** The operator chose that the agent continues: a guard that was off. */
  readonly open: boolean;
}

/** Set by the part that has the session open, so that faults are on record. */
export type NoteFault = (fault: Fault) => Promise<unknown>;

/** Of the deadline, so much more for the record of a fault: the line that waits for the launcher has a quarter left. */
const NOTE_SHARE = 0.1;

const GUARD_OFF = 'GUARD OFF (--fail open), the agent continues: ';

/** For an event that no table knows: agents take it as a block, or as nothing. */
const BLOCKED = 2;

/** What the launcher's own entry knows; absent if it was started as a command. */
export interface Started {
  readonly entry: string;
  /** Writes the code cache, for the next process. */
  readonly saveCode: () => void;
  /** Of stdin, if it is being read already. */
  readonly input?: Promise<Buffer>;
  /** Of the deadline, what has passed. */
  readonly spentMs?: number;
  /** The daemon is gone and left its socket. */
  readonly dead?: boolean;
}

export function runHook(options: HookOptions, started: Started | null = null): void {
  const call = new HookProcess(options, started);
  process.on('uncaughtException', (error) => call.fault(wordsOf(error)));
  process.on('unhandledRejection', (error) => call.fault(wordsOf(error)));
  const leftMs = Math.max(0, options.deadlineMs - (started?.spentMs ?? 0));
  setTimeout(() => call.late(), leftMs);
  call.run().catch((error: unknown) => call.fault(wordsOf(error)));
}

class HookProcess {
  private readonly options: HookOptions;
  private readonly started: Started | null;
  private adapter: Adapter | null = null;
  private row: EventRow | null = null;
  private call: NativeCall | null = null;
  private noteFault: NoteFault | null = null;
  /** It is being answered for: what is decided after that comes too late. */
  private over = false;
  /** What is left to do once the answer is given. */
  private afterwards: (() => void) | null = null;
  private wantsDaemon = false;
  /** In the time of `process.uptime`, in milliseconds. */
  private readonly deadline: number;

  constructor(options: HookOptions, started: Started | null) {
    this.options = options;
    this.started = started;
    this.deadline = process.uptime() * 1000 + options.deadlineMs - (started?.spentMs ?? 0);
  }

  async run(): Promise<void> {
    const { agent, event } = this.options;
    // The agent may take its time to write: what decides is loaded meanwhile.
    const input = this.started?.input ?? readInput();
    input.catch(() => {});
    this.adapter = await loadAdapter(agent);
    if (this.adapter === null) return this.fault(`unknown agent ${agent}`);
    this.row = this.adapter.events.find(({ native }) => native === event) ?? null;
    const paused = pausedAnswer(this.adapter, this.options, machineHost);
    if (paused !== null) return this.give(paused);
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
        this.wantsDaemon = asking.daemonOnDemand && usesDaemon(machineHost);
      },
    };
    const text = bytes.toString('utf8');
    const answer = await launch(this.adapter, this.options, text, progress, ownContext());
    if ('problem' in answer) return this.fault(answer.problem);
    if (this.over) return;
    await this.prepare();
    this.give(answer);
  }

  /** Loading a large policy gives the timer no turn: an answer after the deadline is a deny, also if it was an allow. */
  private give(answer: Answer): void {
    if (process.uptime() * 1000 >= this.deadline) this.late();
    else if (!this.over) this.finish(answer);
  }

  late(): void {
    this.fault(`no decision within ${this.options.deadlineMs} ms`);
  }

  /** Work for the calls after this one, done once the agent has its answer. If it fails, the next call tries again. */
  private async prepare(): Promise<void> {
    const folder = daemonFolder(machineHost);
    if (this.started === null) return;
    const { entry, dead = false, saveCode } = this.started;
    // A call before it runs takes nearly every path that others take: its code serves all of them.
    const save = this.row?.event === 'tool.pre' ? saveCode : () => {};
    this.afterwards = save;
    if (folder === null || (!dead && !this.wantsDaemon)) return;
    try {
      const { clearSocket, startDaemon } = await import('./start-daemon.ts');
      this.afterwards = () => {
        save();
        // Every call would try a socket that nobody listens on.
        if (this.wantsDaemon) startDaemon(folder, entry);
        else clearSocket(folder);
      };
    } catch {
      // The daemon is an optimization: the next call tries again.
    }
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
