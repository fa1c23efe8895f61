/**
 * Help, written from the table of commands: the overview and one page a command.
 */
import type { CommandSpec } from './command.ts';
import { HELP } from './options.ts';
import type { Output } from './output.ts';

export function printOverview(commands: readonly CommandSpec[], output: Output): void {
  output.line('harness: hooks as files, deterministic decisions, one policy for every agent');
  output.line();
  output.line(`${output.paint('bold', 'Usage')}  harness COMMAND [ARGUMENTS]`);
  output.line();
  const width = Math.max(...commands.map((command) => usage(command).length));
  for (const command of commands) {
    output.line(`  ${usage(command).padEnd(width)}  ${command.summary}`);
  }
  output.line();
  output.line('  harness help COMMAND    everything about one command');
  output.line('  harness --version       the version');
  output.line();
  output.line('Exit codes: 0 fine, 1 problems found, 2 wrong usage (or a block, with decide --exit-code).');
}

export function printCommandHelp(command: CommandSpec, output: Output): void {
  output.line(`${output.paint('bold', 'Usage')}  harness ${usage(command)} [OPTIONS]`);
  output.line();
  output.line(command.about);
  output.line();
  output.line(output.paint('bold', 'Options'));
  const rows = [...command.options, HELP].map((option) => {
    const short = option.short === undefined ? '    ' : `-${option.short}, `;
    const value = option.value === undefined ? '' : ` ${option.value}`;
    return { left: `${short}--${option.name}${value}`, right: option.about };
  });
  const width = Math.max(...rows.map((row) => row.left.length));
  for (const row of rows) output.line(`  ${row.left.padEnd(width)}  ${row.right}`);
  if (command.examples.length === 0) return;
  output.line();
  output.line(output.paint('bold', 'Examples'));
  for (const example of command.examples) output.line(`  ${example}`);
}

function usage(command: CommandSpec): string {
  return command.args === '' ? command.name : `${command.name} ${command.args}`;
}
