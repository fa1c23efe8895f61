/**
 * `os`: what scripts may know of the machine: the system, its name, the folder of the session. Read through the host, so that a
 * replay repeats it; nothing here changes anything, and arguments and variables of the process stay its own.
 */
import { builtin, Module, type Thread, type Value } from '../../starlark/index.ts';
import { reach } from './reach.ts';

const IMPURE = { pure: false };

export const OS = new Module(
  'os',
  new Map<string, Value>([
    ['cwd', builtin('os.cwd', '', (thread) => reach(thread).run.session.cwd ?? '', IMPURE)],
    ['hostname', builtin('os.hostname', '', (thread) => machine(thread).hostname, IMPURE)],
    ['platform', builtin('os.platform', '', (thread) => machine(thread).platform, IMPURE)],
  ]),
);

function machine(thread: Thread) {
  return reach(thread).host.machine?.() ?? { hostname: '', platform: '' };
}
