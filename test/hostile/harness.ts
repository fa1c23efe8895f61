/**
 * The built command in a hostile folder, enclosed as `support/enclosed.ts` says. Every file here runs it by this and by nothing
 * else; where nothing can be enclosed all of them are skipped, loudly.
 */
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { beforeEach } from 'vitest';
import { CLI_FILE } from '../../scripts/build-cli.mjs';
import { type Finished, finish, type RunOptions } from '../cli/harness.ts';
import { enclosed, whyNotEnclosed } from '../support/enclosed.ts';
import { atTerminal, type Said } from '../support/person.ts';

const why = whyNotEnclosed(process.execPath, CLI_FILE, '--version');
if (why !== null) {
  console.warn(`SKIPPED: hostile tests run in namespaces of their own and nowhere else: ${why}`);
  beforeEach((context) => context.skip(why));
}

const LISTENER = fileURLToPath(new URL('listener.mjs', import.meta.url));
/** Nobody else is in that network: the port is free. */
export const PORT = 8001;

/** `cwd` is in a folder that `repository()` made. */
export function harness(args: readonly string[], options: RunOptions & { cwd: string }): Promise<Finished> {
  return start([process.execPath, CLI_FILE, ...args], options);
}

export interface Listened extends Finished {
  /** What the listener beside it was asked: address and authorization. */
  readonly asked: readonly string[];
}

/** The same, with a listener on `PORT` of its loopback. */
export async function harnessBeside(
  args: readonly string[],
  options: RunOptions & { cwd: string },
): Promise<Listened> {
  const log = join(placeOf(options.cwd), 'tmp', 'asked');
  const done = await start([process.execPath, LISTENER, log, String(PORT), CLI_FILE, ...args], options);
  return { ...done, asked: readFileSync(log, 'utf8').split('\n').filter(Boolean) };
}

/** The same at a terminal, by a person who types the word that is shown, or something else. */
export function personBeside(
  args: readonly string[],
  { cwd, env, types }: Pick<RunOptions, 'env'> & { cwd: string; types?: (word: string) => string },
): Promise<Said> {
  const walls = enclosedIn([process.execPath, CLI_FILE, ...args], cwd, env);
  return atTerminal(walls.argv, { cwd, env: walls.env, ...(types !== undefined && { types }) });
}

function start(argv: readonly string[], { cwd, env, ...options }: RunOptions & { cwd: string }) {
  const walls = enclosedIn(argv, cwd, env);
  return finish(walls.argv, { ...options, env: walls.env });
}

function enclosedIn(argv: readonly string[], cwd: string, env: RunOptions['env']) {
  const place = placeOf(cwd);
  return enclosed(argv, { place, cwd, env: { HOME: join(place, 'home'), HARNESS_DAEMON: 'off', ...env } });
}

function placeOf(cwd: string): string {
  const place = /^.*\/harness-hostile-[^/]+/.exec(cwd)?.[0];
  if (place === undefined) throw new Error(`want a folder of repository(), got ${cwd}`);
  return place;
}
