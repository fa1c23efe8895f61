/**
 * Commands that only show what they would do, or how they are used.
 */
import type { Command } from '../reading.ts';

const HELP = ['--help', '-help'];
const DRY =
  /^--?(?:dry[-_]?run|simulate|assumeno|no-act|just-print|recon|what-?if|noop)(?:=(?!none|false|0).*)?$/i;

/** They take names: a database can be called `help`. */
const NO_SUBS: ReadonlySet<string> = new Set(
  'dropdb dropuser createdb createuser rm unlink shred rmdir userdel groupdel deluser delgroup kill pkill killall mkfs shutdown'.split(
    ' ',
  ),
);

/** What it is given to run and where it writes to happens all the same. */
export function isRehearsal(command: Command): boolean {
  const { args, code, runsStdin, redirects, words, stdin } = command;
  // A command that is asked for help is given nothing to read.
  if (stdin.kind === 'text' && stdin.text !== '') return false;
  if (words.length === 0 || code !== null || runsStdin || redirects.some(({ op }) => op.includes('>')))
    return false;
  // In front of a value it is which version, not the wish to see one.
  const last = args.at(-1);
  return (
    command.has(...HELP) ||
    args.some((arg) => DRY.test(arg)) ||
    last === '-h' ||
    last === '--version' ||
    (!command.wrapper && command.sub(0) === 'help' && !NO_SUBS.has(command.program))
  );
}
