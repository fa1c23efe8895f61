/**
 * The command line: finds the command, lets it run and turns whatever happens into an exit code. It imports
 * only tables, so that a command pays for its own code alone.
 */
import { didYouMean } from '../base/index.ts';
import {
  type CommandSpec,
  HELP,
  type Output,
  openOutput,
  parseArguments,
  UsageError,
} from '../terminal/index.ts';
import { COMMANDS } from './commands.ts';
import { reportFault } from './fault.ts';

export async function runCommand(argv: readonly string[]): Promise<void> {
  const output = openOutput(process.env);
  try {
    process.exitCode = await main(argv, output);
  } catch (error) {
    process.exitCode = reportFault(error, output);
  }
}

async function main(argv: readonly string[], output: Output): Promise<number> {
  const [first, ...rest] = argv;
  if (first === undefined) {
    await (await import('./next-step.ts')).printNextStep(output);
    return 0;
  }
  if (first === 'help' || first === '--help' || first === '-h') {
    await showHelp(output, rest[0] === undefined ? undefined : find(rest[0]));
    return 0;
  }
  const command = find(first);
  let args: ReturnType<typeof parseArguments>;
  try {
    args = parseArguments(command, rest);
  } catch (error) {
    if (error instanceof UsageError)
      throw new UsageError(`${error.message}\nTry: harness help ${command.name}`);
    throw error;
  }
  if (args.has(HELP.name)) {
    await showHelp(output, command);
    return 0;
  }
  const { run } = await command.load();
  return run(args, output);
}

async function showHelp(output: Output, command?: CommandSpec): Promise<void> {
  const { printCommandHelp, printOverview } = await import('./help.ts');
  if (command === undefined) printOverview(COMMANDS, output);
  else printCommandHelp(command, output);
}

function find(name: string): CommandSpec {
  const command = COMMANDS.find((candidate) => candidate.name === name);
  if (command !== undefined) return command;
  const names = COMMANDS.map((candidate) => candidate.name);
  const kind = name.startsWith('-') ? 'option' : 'command';
  throw new UsageError(`unknown ${kind} ${name}${didYouMean(name, names)}\nTry: harness help`);
}
