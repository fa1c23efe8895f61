/**
 * The process that an agent starts for one event: reads stdin, has the policy asked, prints one answer and ends. If the user's
 * daemon is there, it is asked first; otherwise, and if it does not answer, this process decides. Whatever goes wrong on the
 * way, and if nothing comes in time, it answers too: with a block where the agent honours one.
 */
import { isUtf8 } from 'node:buffer';
import { read, writeSync } from 'node:fs';
import type { Adapter, Answer, EventRow, NativeCall } from '../../adapters/adapter.ts';
import { denyAnswer, goOnAnswer } from '../../adapters/deny.ts';
import { MARK } from '../../adapters/guard-line.ts';
import { loadAdapter } from '../../adapters/load-adapter.ts';
import { machineHost } from '../../base/host.ts';
import { visible } from '../../base/visible.ts';
import { daemonFolder, seemsToListen } from '../../daemon/place.ts';
import { appendPauseLog, currentPause, type Pause } from '../../policy/pause.ts';
import type { PolicySettings } from '../../policy/policy.ts';
import { stateFolder } from '../../policy/state-folder.ts';
import { type CodeCache, keepNoCode } from './code-cache.ts';
import type { HookOptions } from './hook-options.ts';
import type { Surroundings } from './surroundings.ts';

/** What goes wrong before or beside a decision, as the one who keeps count of it is told. */
export interface Fault {
  readonly problem: string;
  /** The operator chose that the agent goes on: a guard that was off. */
  readonly open: boolean;
}

/** Set by the part that has the session open, so that faults are on record. */
export type NoteFault = (fault: Fault) => void;

/** Nothing an agent sends is larger; a payload is held in memory several times over. */
const MAX_INPUT_BYTES = 100 * 1024 * 1024;

const GUARD_OFF = 'GUARD OFF (--fail open), the agent goes on: ';

const SILENCE: Answer = { stdout: '', stderr: '', exitCode: 0 };

/** For an event that no table knows: agents take it as a block, or as nothing. */
const BLOCKED = 2;

/** What the launcher's own entry knows; absent if it was started as a command. */
export interface Started {
  readonly cache: CodeCache;
  readonly entry: string;
  readonly argv: readonly string[];
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
  setTimeout(() => call.fault(`no decision within ${options.deadlineMs} ms`), options.deadlineMs);
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
    const input = readInput();
    input.catch(() => {});
    const given = await this.askDaemon(input);
    if (given !== null) {
      this.started?.cache.save();
      return this.finish(given);
    }
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
    if ('problem' in answer) this.fault(answer.problem);
    // A call before it runs takes nearly every way that others take: its code serves all of them.
    if (around.keep() || this.row?.event !== 'tool.pre') keepNoCode();
    this.started?.cache.save();
    if (this.wantsDaemon) await this.prepareDaemon();
    else await this.prepareSnapshot();
    this.finish(answer);
  }

  /** The user wants one on demand, and none was there: it is begun when the agent has its answer. */
  private async prepareDaemon(): Promise<void> {
    const folder = daemonFolder(machineHost);
    if (this.started === null || folder === null) return;
    try {
      const { startDaemon } = await import('./start-daemon.ts');
      const { entry } = this.started;
      this.afterwards = () => startDaemon(folder, entry);
    } catch {
      // The next call tries again.
    }
  }

  /** The next processes could start from a heap with this policy in it: it is made when the agent has its answer. */
  private async prepareSnapshot(): Promise<void> {
    const { agent, dir, user, mark } = this.options;
    if (this.started === null || this.around !== null || dir === null || !mark) return;
    try {
      const { startHolding } = await import('../snapshot/start-holding.ts');
      const { entry } = this.started;
      this.afterwards = () => startHolding(entry, { dir, user }, [agent]);
    } catch {
      // The next call tries again.
    }
  }

  /** Null if there is none, or it does not answer in its share of the time: then this process decides. */
  private async askDaemon(input: Promise<Buffer>): Promise<Answer | null> {
    if (this.started === null || this.options.cold) return null;
    const folder = daemonFolder(machineHost);
    if (folder === null || !seemsToListen(folder)) return null;
    try {
      const { askToDecide } = await import('./ask-daemon.ts');
      return await askToDecide(folder, this.started, await input, this.options.deadlineMs);
    } catch {
      return null;
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

  /** Answers in place of a decision that was not made. */
  fault(problem: string): never {
    const open = this.options.fail === 'open';
    try {
      this.noteFault?.({ problem, open });
    } catch {
      // What is being answered for may be that nothing can be written.
    }
    const { adapter, row } = this;
    const said = `harness: ${open ? GUARD_OFF : ''}${problem}\n`;
    if (adapter === null || row === null) {
      return this.finish({ stdout: '', stderr: said, exitCode: open ? 0 : BLOCKED });
    }
    const answer = open
      ? goOnAnswer(adapter, row, `Harness: ${GUARD_OFF}${problem}`)
      : denyAnswer(adapter, row, `Blocked: the policy could not decide: ${problem}`, this.call);
    this.finish({ ...answer, stderr: answer.stderr === '' ? said : answer.stderr });
  }

  private finish({ stdout, stderr, exitCode }: Answer): never {
    // An answer given twice is none.
    const { mark } = this.options;
    // An agent may show it to a person as it is.
    if (stderr !== '') tryWrite(2, visible(stderr));
    const whole = tryWrite(1, mark ? stdout + MARK : stdout);
    this.afterwards?.();
    process.exit(whole ? exitCode : 1);
  }
}

function wordsOf(error: unknown): string {
  return error instanceof Error ? `${error.name}: ${error.message}` : String(error);
}

/** Not the stream of the process: that takes longer to load than all this takes to run. */
function readInput(): Promise<Buffer> {
  return new Promise((resolve, reject) => {
    const pieces: Buffer[] = [];
    let size = 0;
    const next = () => {
      const buffer = Buffer.allocUnsafe(64 * 1024);
      read(0, buffer, 0, buffer.length, null, (error, bytes) => {
        if (error?.code === 'EAGAIN') return setTimeout(next, 1);
        if (error !== null && error.code !== 'EOF')
          return reject(new Error(`cannot read stdin: ${error.message}`));
        if (error !== null || bytes === 0) return resolve(Buffer.concat(pieces));
        size += bytes;
        if (size > MAX_INPUT_BYTES)
          return reject(new Error(`the payload is larger than ${MAX_INPUT_BYTES} bytes`));
        pieces.push(buffer.subarray(0, bytes));
        next();
      });
    };
    next();
  });
}

/** Of a millisecond each. */
const MOST_PAUSES = 2000;

/** Whether all of it was taken. A reader that is gone has no use for the rest. */
function tryWrite(fd: number, text: string): boolean {
  const bytes = Buffer.from(text);
  let sent = 0;
  for (let pauses = 0; sent < bytes.length && pauses < MOST_PAUSES; ) {
    try {
      sent += writeSync(fd, bytes, sent);
    } catch (error) {
      if ((error as NodeJS.ErrnoException).code !== 'EAGAIN') return false;
      // A pipe that is full for the moment.
      pauses++;
      Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, 1);
    }
  }
  return sent === bytes.length;
}
