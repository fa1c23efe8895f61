/**
 * Commands that say yes in a person's place, or take guards away, are for a person at a terminal: not for a script, and not for an
 * agent's own shell. The built-in layer refuses the command line as well.
 */
import { readFileSync } from 'node:fs';
import { machineHost } from '../machine/index.ts';
import { UsageError } from './command.ts';
import { parentAgent } from './detect-parent-agent.ts';

export function demandPerson(command: string): void {
  if (process.stdin.isTTY !== true || process.stderr.isTTY !== true) {
    throw new UsageError(`${command} is for a person at a terminal; there is none here`);
  }
  demandNoAgent(command);
}

/** Also for what only shows: a model must not read it. */
export function demandNoAgent(command: string): void {
  const agent = agentHere();
  if (agent !== null)
    throw new UsageError(`${command} is for a person at a terminal; this is a shell of ${agent}`);
}

/** Whether somebody can be asked here and now. */
export function isPersonHere(): boolean {
  return process.stdin.isTTY === true && process.stderr.isTTY === true && agentHere() === null;
}

function agentHere(): string | null {
  return parentAgent(machineHost.variables(), process.ppid, (file) => {
    try {
      return readFileSync(file, 'utf8');
    } catch {
      return null;
    }
  });
}
