/**
 * The one reader of shell commands: text or words in, every program that could run out. Pure and total: it never throws,
 * never runs anything, and takes time in proportion to the length of the text. What it cannot read is an error in the value.
 */

import { shellReading } from './dialect.ts';
import { knownField, UNTAINTED } from './known/values.ts';
import { NO_MOUNTS } from './mounts.ts';
import type { CommandReading, ReadOptions } from './reading.ts';
import { runDeferred, runText, SH } from './run/nested.ts';
import { type Frame, INHERITED, Run } from './run/run.ts';
import { start } from './run/start.ts';
import { State } from './run/state.ts';
import { Shared } from './syntax/cursor.ts';
import { noteText } from './text.ts';

/** Reads a text that is given to a shell. */
export function readCommand(text: string, options: ReadOptions = {}): CommandReading {
  const shared = new Shared();
  const run = new Run(shared, options.home ?? null);
  const name = options.shell ?? 'sh';
  const reading = shellReading(name) ?? shellReading(shellName(name));
  if (reading === undefined) {
    shared.error('shell', `${name} cannot be read: want sh, dash, bash, zsh or ksh`, 0);
    return finish(run);
  }
  return totally(run, () => {
    noteText(shared, text, 0, true);
    runText(run, text, reading, startState(options), { ...FRAME, dialect: reading.dialect }, true);
  });
}

/** Reads the words of a program that is started without a shell. */
export function readArgv(argv: readonly string[], options: ReadOptions = {}): CommandReading {
  const shared = new Shared();
  const run = new Run(shared, options.home ?? null);
  if (argv.length === 0) {
    shared.error('syntax', 'no program', 0);
    return finish(run);
  }
  return totally(run, () => {
    for (const word of argv) noteText(shared, word, 0, false);
    const state = startState(options);
    start(run, {
      words: argv.map(knownField),
      assigns: [],
      redirects: [],
      input: INHERITED,
      state,
      env: state,
      frame: { ...FRAME, dialect: SH.dialect },
      shell: 'none',
      text: argv.join(' '),
      start: 0,
      end: 0,
      from: UNTAINTED,
      tries: 0,
    });
  });
}

/** A guard must not be switched off by a mistake in here: whatever is thrown makes the reading incomplete. */
function totally(run: Run, read: () => void): CommandReading {
  try {
    read();
    if (run.deferred !== null) runDeferred(run);
  } catch (error) {
    run.error('reader', `the reader failed: ${error instanceof Error ? error.message : String(error)}`, 0);
  }
  return finish(run);
}

/** Every key is there from the start: a copy that adds one takes microseconds. */
const FRAME: Frame = {
  dialect: SH.dialect,
  via: [],
  elevated: false,
  remote: false,
  mounts: NO_MOUNTS,
  background: false,
  parallel: -1,
  input: INHERITED,
  capture: false,
  repeats: false,
  endless: false,
  level: 0,
  calls: [],
  loop: null,
  call: null,
  lines: false,
  locals: null,
  place: null,
};

/** `/bin/bash` is bash, and nothing is sh. */
function shellName(shell: string): string {
  if (shell === '') return 'sh';
  const name = shell.slice(Math.max(shell.lastIndexOf('/'), shell.lastIndexOf('\\')) + 1).toLowerCase();
  return name.endsWith('.exe') ? name.slice(0, -4) : name;
}

function startState({ cwd }: ReadOptions): State {
  return new State(null, false, cwd ?? '', true);
}

function finish(run: Run): CommandReading {
  const { commands, shared } = run;
  return {
    commands,
    errors: shared.errors,
    complete: shared.errors.length === 0,
    dynamic: commands.some((command) => command.dynamic),
  };
}
