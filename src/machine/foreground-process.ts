/**
 * A program in the place of this one: it has our terminal, our input and output, and its end is ours. Signals that a person
 * sends reach it by themselves; those that reach only this process are passed on.
 */
import { spawn } from 'node:child_process';
import { constants } from 'node:os';
import type { Launcher } from './host.ts';
import { withoutInherited } from './inherited-descriptors.ts';
import { withLauncher } from './process.ts';
import { inputFile } from './process-input.ts';

export interface ForegroundRequest {
  readonly argv: readonly string[];
  readonly cwd: string;
  readonly env: Record<string, string>;
  readonly launcher: Launcher;
}

export type ForegroundEnd = { readonly exitCode: number } | { readonly problem: string };

const PASSED_ON = ['SIGTERM', 'SIGHUP', 'SIGINT', 'SIGQUIT'] as const;

/** A program that a signal ended has 128 and its number as exit code, as shells say it. */
export function runInForeground({ argv, cwd, env, launcher }: ForegroundRequest): Promise<ForegroundEnd> {
  const [file = '', ...args] = [...launcher.argv, ...argv];
  const filter = launcher.filter === undefined ? null : inputFile(launcher.filter);
  if (launcher.filter !== undefined && filter === null) {
    return Promise.resolve({ problem: 'the filter of the sandbox cannot be handed over' });
  }
  const streams: ('inherit' | 'pipe' | 'ignore' | number)[] = ['inherit', 'inherit', 'inherit', 'pipe'];
  if (filter !== null) streams.push(filter);
  withoutInherited(streams);
  const child = spawn(file, args, { cwd, env: withLauncher(env, launcher), stdio: streams });
  let status = '';
  const said = child.stdio[3];
  if (said !== null && said !== undefined && 'on' in said) {
    said.on('data', (chunk: Buffer) => {
      status += chunk.toString('latin1');
    });
    said.on('error', () => {});
  }
  const passOn = PASSED_ON.map((signal) => {
    const send = () => void child.kill(signal);
    process.on(signal, send);
    return () => process.off(signal, send);
  });
  return new Promise<ForegroundEnd>((resolve) => {
    child.on('error', (error) => resolve({ problem: error.message }));
    child.on('close', (code, signal) => {
      if (signal === null && !status.includes('"exit-code"')) {
        resolve({ problem: 'the program was not started; what bubblewrap says of it is above' });
      } else resolve({ exitCode: signal === null ? (code ?? 1) : 128 + constants.signals[signal] });
    });
  }).finally(() => {
    for (const release of passOn) release();
  });
}
