/**
 * A program that is spoken with for as long as it lives, over its standard input and output. It leads a process group of its
 * own, so that what it started ends with it; and it ends with this process.
 */
import { spawn } from 'node:child_process';
import type { Readable, Writable } from 'node:stream';
import { visible } from '../base/index.ts';
import { killGroup } from './process-sweep.ts';

export interface DuplexProcess {
  readonly input: Writable;
  readonly output: Readable;
  /** Resolves when it has ended, with how, as the rest of a sentence about it. */
  readonly ended: Promise<string>;
  /** Closes its input, waits a little, then ends it and its group. */
  stop(): Promise<void>;
}

export interface DuplexRequest {
  readonly argv: readonly string[];
  readonly cwd: string;
  readonly env: Readonly<Record<string, string | undefined>>;
}

/** A program that has seen the end of its input may take so long to go by itself. */
const GRACE_MS = 1000;

/** Its error output is this process's own, with nothing in it that a terminal would obey. */
export function startDuplex({ argv, cwd, env }: DuplexRequest): DuplexProcess {
  const [file = '', ...args] = argv;
  const child = spawn(file, args, { cwd, env, detached: true, stdio: 'pipe' });
  child.stderr.setEncoding('utf8').on('data', (text: string) => process.stderr.write(visible(text)));
  const endGroup = () => {
    if (child.pid !== undefined) killGroup(child.pid);
  };
  process.on('exit', endGroup);
  // It may be gone before it has read everything.
  child.stdin.on('error', () => {});
  const ended = new Promise<string>((resolve) => {
    child.on('error', (error) => resolve(`could not be started: ${error.message}`));
    child.on('close', (code, signal) => {
      resolve(signal === null ? `ended with exit code ${code}` : `was ended by ${signal}`);
    });
  });
  void ended.then(() => {
    endGroup();
    process.off('exit', endGroup);
  });
  return {
    input: child.stdin,
    output: child.stdout,
    ended,
    stop: async () => {
      child.stdin.end();
      const timer = setTimeout(endGroup, GRACE_MS);
      await ended;
      clearTimeout(timer);
    },
  };
}
