/**
 * `os`: what scripts may know of the machine: the system, its name, the folder of the session, where links lead. Read through the host, so that a
 * replay repeats it; nothing here changes anything, and arguments and variables of the process stay its own.
 */

import {
  isJsonObject,
  type Json,
  normalForm,
  sizeOfBraces,
  TOO_MANY_ALTERNATIVES,
} from '../../base/index.ts';
import { leavesWorkspace, relativeTo } from '../../engine/index.ts';
import {
  builtin,
  fail,
  Module,
  type Thread,
  textBytes,
  toJson,
  type Value,
  wantItems,
  wantString,
} from '../../starlark/index.ts';
import { scriptCallOf } from './reach.ts';
import { chargePath, LONGEST_FILE_PATH } from './shell.ts';

const IMPURE = { pure: false };

export const OS = new Module(
  'os',
  new Map<string, Value>([
    ['cwd', builtin('os.cwd', '', (thread) => scriptCallOf(thread).run.session.cwd ?? '', IMPURE)],
    ['hostname', builtin('os.hostname', '', (thread) => machine(thread).hostname, IMPURE)],
    ['platform', builtin('os.platform', '', (thread) => machine(thread).platform, IMPURE)],
    ['leaves_workspace', builtin('os.leaves_workspace', 'payload, also=None', leaves, IMPURE)],
    ['real_path', builtin('os.real_path', 'p, folder=""', realPath, IMPURE)],
  ]),
);

function machine(thread: Thread) {
  return scriptCallOf(thread).host.machine?.() ?? { hostname: '', platform: '' };
}

/** What a look at a path of usual length costs. */
const STEPS_PER_LOOK = 64;

function realPath(thread: Thread, p: Value, folder: Value): Value {
  const path = wantString('os.real_path', 'p', p);
  const from = wantString('os.real_path', 'folder', folder);
  const normal = openedPath(thread, from === '' ? path : relativeTo(from, path));
  thread.charge(textBytes(normal.length));
  return normal;
}

function leaves(thread: Thread, payload: Value, also: Value): Value {
  const call = toJson(payload, thread) as Json;
  if (!isJsonObject(call))
    return fail('os.leaves_workspace: for parameter payload: want the payload of a tool call');
  const listed = also === null ? [] : wantItems(thread, 'os.leaves_workspace', 'also', also);
  const places = listed.map((place, i) => wantString('os.leaves_workspace', `also[${i}]`, place));
  const cwd = scriptCallOf(thread).run.session.cwd ?? '';
  const realPath = (path: string): string => {
    for (const place of places) thread.spend(1 + ((path.length * weightOfPattern(place)) >> 5));
    return openedPath(thread, path);
  };
  const fault = leavesWorkspace(call, { cwd, also: places, realPath });
  thread.charge(textBytes(fault?.length ?? 0));
  return fault;
}

function weightOfPattern(pattern: string): number {
  const size = sizeOfBraces(pattern);
  return size === null
    ? fail(`os.leaves_workspace: for parameter also: ${TOO_MANY_ALTERNATIVES}`)
    : size.alternatives + size.characters;
}

/** A path as the machine opens it; its own normal form where no machine can be asked. */
function openedPath(thread: Thread, asked: string): string {
  const { host } = scriptCallOf(thread);
  thread.spend(STEPS_PER_LOOK + (asked.length >> 2));
  // The machine opens no longer one: it would only be asked about each folder of it.
  const opens = asked.length <= LONGEST_FILE_PATH && asked.startsWith('/') && !asked.includes('\0');
  const real = opens ? host.realPath?.(asked) : undefined;
  chargePath(thread, asked.length);
  return normalForm(real ?? asked);
}
