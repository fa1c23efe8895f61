/**
 * What a command is: one row of a table in commands/. Parsing, help and the tests that compare help with behaviour
 * all read these rows, and a command's own code is loaded only when it is called.
 */
import type { Output } from './output.ts';

export interface OptionSpec {
  readonly name: string;
  readonly short?: string;
  /** What stands for the value in help (`FILE`); absent for a switch. */
  readonly value?: string;
  readonly about: string;
}

export interface CommandSpec {
  readonly name: string;
  /** Positional arguments as help shows them; brackets mark optional ones, dots the last that repeats. */
  readonly args: string;
  readonly summary: string;
  /** A paragraph for `harness help NAME`. */
  readonly about: string;
  readonly options: readonly OptionSpec[];
  readonly examples: readonly string[];
  readonly load: () => Promise<{ run: Run }>;
}

/** Gives the exit code: 0 fine, 1 problems found, 2 wrong usage or, where asked for, a block. */
export type Run = (args: Arguments, output: Output) => number | Promise<number>;

export interface Arguments {
  readonly positionals: readonly string[];
  has(option: string): boolean;
  value(option: string): string | undefined;
}

/** The person at the keyboard asked for something that is not there. Exits 2. */
export class UsageError extends Error {
  constructor(message: string) {
    super(message);
    this.name = 'UsageError';
  }
}
