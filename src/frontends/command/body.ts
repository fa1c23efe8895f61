/**
 * The body of a command hook: the event as JSON on stdin, how the process ended as the return value. A front end that
 * has such hooks gives what they return to `CommandAnswer.reply`.
 */
import type { ProcessRequest, ProcessResult, Program } from '../../base/host.ts';
import type { Body, Hook, Reply } from '../../hooks/hook.ts';
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

export function commandBody(spec: CommandSpec): Body {
  const { contract, program, cwd, env = {}, maxOutputBytes } = spec;
  return async (seen, call) => {
    const request: ProcessRequest = {
      program,
      cwd,
      env,
      pass: call.run.settings.passedVariables ?? [],
      guards: true,
      stdin: JSON.stringify(seen),
      timeoutMs: call.timeoutMs,
      ...(maxOutputBytes !== undefined && { maxOutputBytes }),
    };
    return new CommandAnswer(contract, await call.host.run(request, call.signal));
  };
}
