/**
 * The command line: finds the command, lets it run and turns whatever happens into an exit code. It imports
 * only tables, so that a command pays for its own code alone.
 */
import { didYouMean } from '../base/spelling.ts';
import { type CommandSpec, UsageError } from './command.ts';
import { COMMANDS } from './commands.ts';
import { reportFault } from './fault.ts';
import { useCodeCache } from './hook/code-cache.ts';
import { HELP, parseArguments } from './options.ts';
import { type Output, openOutput } from './output.ts';

/** With `cached`, what programs run again and again is compiled once. */
export async function runCommand(argv: readonly string[], cached: boolean): Promise<void> {
  const output = openOutput(process.env);
  try {
    process.exitCode = await main(argv, output, cached);
  } catch (error) {
    process.exitCode = reportFault(error, output);
  }
}

async function main(argv: readonly string[], output: Output, cached: boolean): Promise<number> {
  const [first, ...rest] = argv;
  if (first === undefined) {
    await showHelp(output);
    return 2;
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
  const cache = cached && command.name === 'decide' ? useCodeCache(process.argv[1]!, 'decide') : null;
  const { run } = await command.load();
  const code = await run(args, output);
  cache?.save();
  return code;
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
