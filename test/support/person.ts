/**
 * A person at a terminal, for commands that want one: `script` gives the command a terminal, and the word that is shown is typed there.
 * No setting of Harness stands in for the person, so an installed package has none either.
 */
import { spawn, spawnSync } from 'node:child_process';
import { CLI_FILE } from '../../scripts/build-cli.mjs';

export const canBePerson = spawnSync('script', ['-qec', 'true', '/dev/null']).status === 0;
if (!canBePerson) console.warn('SKIPPED: tests of what a person types want script (util-linux)');

export interface PersonOptions {
  readonly cwd: string;
  readonly env: Readonly<Record<string, string | undefined>>;
  /** What is typed for the word that is shown; by default the word. */
  readonly types?: (word: string) => string;
}

/** The question with nothing typed yet, and the cursor behind it. */
const ASKED = /Type ([a-z]+) to [^\n]*, or n: \x1b\[\d+G$/;

export type Said = { readonly status: number; readonly said: string };

export function person(args: readonly string[], options: PersonOptions): Promise<Said> {
  return atTerminal([process.execPath, CLI_FILE, ...args], options);
}

/** Any program. */
export function atTerminal(argv: readonly string[], options: PersonOptions): Promise<Said> {
  const { cwd, env, types = (word) => word } = options;
  const line = argv.map((word) => `'${word}'`).join(' ');
  const child = spawn('script', ['-qec', line, '/dev/null'], {
    cwd,
    env,
    stdio: ['pipe', 'pipe', 'inherit'],
  });
  let said = '';
  child.stdout.on('data', (piece) => {
    said += String(piece);
    const word = ASKED.exec(said)?.[1];
    // Enter, as a terminal sends it.
    if (word !== undefined) child.stdin.write(`${types(word)}\r`);
  });
  return new Promise((resolve) => child.on('close', (status) => resolve({ status: status ?? 1, said })));
}
