/**
 * The body of a command hook: the event as JSON on stdin, how the process ended as the return value. A front end that
 * has such hooks gives what they return to `CommandAnswer.reply`.
 */

import type { Body, Hook, Reply } from '../../engine/index.ts';
import type { ProcessRequest, ProcessResult, Program } from '../../machine/index.ts';
import type { CommandContract } from './contract.ts';

export interface CommandSpec {
  readonly contract: CommandContract;
  /** A line for the shell, a program with its arguments, or a script. */
  readonly program: Program;
  readonly cwd: string;
  /** Added to the environment of this process. */
  readonly env?: Readonly<Record<string, string>>;
  readonly maxOutputBytes?: number;
}

/** What a command hook returns: how its process ended, and the contract to read that by. */
export class CommandAnswer {
  private readonly contract: CommandContract;
  readonly result: ProcessResult;

  constructor(contract: CommandContract, result: ProcessResult) {
    this.contract = contract;
    this.result = result;
  }

  reply(hook: Hook, event: string): Reply {
    return this.contract.interpret(this.result, hook, event);
  }
}

/** What a hook may say of its own. */
const OWN_WORDS = 1024 * 1024;
/**
 * A hook that repeats what it was told, escaped once more, must not come to its limit by that: how long a payload is, is for
 * its author to choose, and no guard is off because of it.
 */
const ECHO = 8;

export function commandBody(spec: CommandSpec): Body {
  const { contract, program, cwd, env = {}, maxOutputBytes } = spec;
  return async (seen, call) => {
    const stdin = JSON.stringify(seen);
    const request: ProcessRequest = {
      program,
      cwd,
      env,
      pass: call.run.settings.passedVariables ?? [],
      guards: true,
      stdin,
      timeoutMs: call.timeoutMs,
      maxOutputBytes: maxOutputBytes ?? OWN_WORDS + ECHO * stdin.length,
    };
    return new CommandAnswer(contract, await call.host.run(request, call.signal));
  };
}
