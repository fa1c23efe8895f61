/**
 * Help, written from the table of commands: the overview and one page a command. Both fit into 80 columns.
 */
import { type CommandSpec, HELP, type Output, wrap } from '../terminal/index.ts';

/** Every command once, the most common first. */
export const GROUPS: Readonly<Record<string, readonly string[]>> = {
  Start: ['init', 'install', 'status', 'doctor', 'demo', 'uninstall'],
  Write: ['validate', 'test', 'new', 'hooks', 'packs', 'decide', 'explain', 'fmt', 'trust', 'untrust'],
  Run: ['run', 'mcp', 'sandbox', 'approvals', 'accept', 'pause'],
  Look: ['ui', 'report', 'tape', 'replay', 'backtest', 'diff', 'import', 'suggest'],
  Operate: ['daemon', 'hub', 'fleet', 'hook', 'lsp', 'completion', 'model', 'starlark'],
};

const COLUMNS = 80;

export function printOverview(commands: readonly CommandSpec[], output: Output): void {
  output.line('harness: rules for AI agents, written as files');
  output.line();
  output.line(`${output.paint('bold', 'Usage')}  harness COMMAND [ARGUMENTS]`);
  const width = Math.max(...commands.map((command) => command.name.length));
  const byName = new Map(commands.map((command) => [command.name, command]));
  for (const [title, names] of Object.entries(GROUPS)) {
    output.line();
    output.line(output.paint('bold', title));
    for (const name of names) output.line(`  ${name.padEnd(width)}  ${byName.get(name)!.summary}`);
  }
  output.line();
  output.line('  harness                 what to do next in this folder');
  output.line('  harness help COMMAND    everything about one command');
  output.line('  harness --version       the version');
  output.line();
  output.line('Exit codes: 0 fine, 1 problems found, 2 wrong usage (or a block, with');
  output.line('decide --exit-code).');
}

export function printCommandHelp(command: CommandSpec, output: Output): void {
  const usage = command.args === '' ? command.name : `${command.name} ${command.args}`;
  const title = output.paint('bold', 'Usage');
  for (const [at, line] of wrap(`harness ${usage} [OPTIONS]`, COLUMNS - 7).entries()) {
    output.line(`${at === 0 ? title : '     '}  ${line}`);
  }
  output.line();
  for (const paragraph of command.about.split('\n\n')) {
    for (const line of wrap(paragraph.replaceAll('\n', ' '), COLUMNS)) output.line(line);
  }
  output.line();
  output.line(output.paint('bold', 'Options'));
  const rows = [...command.options, HELP].map((option) => {
    const short = option.short === undefined ? '    ' : `-${option.short}, `;
    const value = option.value === undefined ? '' : ` ${option.value}`;
    return { left: `${short}--${option.name}${value}`, right: option.about };
  });
  const width = Math.max(...rows.map((row) => row.left.length));
  for (const { left, right } of rows) {
    const lines = wrap(right, COLUMNS - width - 4);
    for (const [at, line] of lines.entries()) {
      output.line(`  ${(at === 0 ? left : '').padEnd(width)}  ${line}`);
    }
  }
  if (command.examples.length === 0) return;
  output.line();
  output.line(output.paint('bold', 'Examples'));
  for (const example of command.examples) output.line(`  ${example}`);
}
