/** A program that goes on after this one has ended: in a session of its own, with no terminal and no open files of ours. */
import { spawn } from 'node:child_process';
import { closeSync, openSync } from 'node:fs';
import { withoutInherited } from './inherited-descriptors.ts';

export interface DetachedRequest {
  readonly argv: readonly string[];
  readonly cwd: string;
  readonly env: Readonly<Record<string, string | undefined>>;
  /** What it has to say goes to the end of this file. */
  readonly log: string;
}

/** Its number, or why there is none. */
export async function startDetached({ argv, cwd, env, log }: DetachedRequest): Promise<number | string> {
  const [file = '', ...args] = argv;
  const out = openSync(log, 'a', 0o600);
  // A descriptor that this process was started with is replaced: whoever waits for its end would wait for this program.
  const stdio: (number | 'ignore')[] = ['ignore', out, out];
  const empty = withoutInherited(stdio);
  const child = spawn(file, args, { cwd, env, detached: true, stdio });
  for (const descriptor of [out, empty]) if (descriptor !== null) closeSync(descriptor);
  return new Promise((resolve) => {
    child.on('error', (error) => resolve(error.message));
    child.on('spawn', () => {
      child.unref();
      resolve(child.pid!);
    });
  });
}
