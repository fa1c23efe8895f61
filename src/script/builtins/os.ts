/**
 * `os`: what scripts may know of the machine: the system, its name, the folder of the session, where links lead. Read through the host, so that a
 * replay repeats it; nothing here changes anything, and arguments and variables of the process stay its own.
 */

import { normalForm } from '../../base/index.ts';
import { below } from '../../engine/index.ts';
import { builtin, Module, type Thread, textBytes, type Value, wantString } from '../../starlark/index.ts';
import { reach } from './reach.ts';
import { chargePath, LONGEST_FILE_PATH } from './shell.ts';

const IMPURE = { pure: false };

export const OS = new Module(
  'os',
  new Map<string, Value>([
    ['cwd', builtin('os.cwd', '', (thread) => reach(thread).run.session.cwd ?? '', IMPURE)],
    ['hostname', builtin('os.hostname', '', (thread) => machine(thread).hostname, IMPURE)],
    ['platform', builtin('os.platform', '', (thread) => machine(thread).platform, IMPURE)],
    ['real_path', builtin('os.real_path', 'p, folder=""', realPath, IMPURE)],
  ]),
);

function machine(thread: Thread) {
  return reach(thread).host.machine?.() ?? { hostname: '', platform: '' };
}

/** What a look at a path of usual length costs. */
const STEPS_PER_LOOK = 64;

function realPath(thread: Thread, p: Value, folder: Value): Value {
  const path = wantString('os.real_path', 'p', p);
  const from = wantString('os.real_path', 'folder', folder);
  const asked = from === '' ? path : below(from, path);
  const { host } = reach(thread);
  thread.spend(STEPS_PER_LOOK + (asked.length >> 2));
  // The machine opens no longer one: it would only be asked about each folder of it.
  const opens = asked.length <= LONGEST_FILE_PATH && asked.startsWith('/') && !asked.includes('\0');
  const real = opens ? host.realPath?.(asked) : undefined;
  chargePath(thread, asked.length);
  const normal = normalForm(real ?? asked);
  thread.charge(textBytes(normal.length));
  return normal;
}
