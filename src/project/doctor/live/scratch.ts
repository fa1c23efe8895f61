/**
 * The scratch copy that an agent sees in the place of the user's folders: an image of their paths below a folder of ours, which
 * is laid over them in a mount namespace. So every path in the registration stays as it was written, to the byte, and
 * whatever the agent writes is gone afterwards.
 */

import {
  chmodSync,
  cpSync,
  existsSync,
  lstatSync,
  mkdirSync,
  readdirSync,
  statSync,
  writeFileSync,
} from 'node:fs';
import { basename, dirname, join } from 'node:path';
import { type InstallTarget, isUser, type LiveFile, rootOf } from '../../../agents/index.ts';
import { PROJECT_READERS } from '../../../frontends/index.ts';
import { isWithin, realPathOrSame } from '../../../machine/index.ts';
import type { Policy } from '../../../policy/index.ts';

/** Records of runs are not policy, and may be large. */
const LEFT_OUT = new Set(['runs']);
/** A file beside the policy that belongs to it. */
const LARGEST_FILE = 1024 * 1024;

export interface Scratch {
  /** Everything below is in here. */
  readonly folder: string;
  /** Where a path of the user's is in the image. */
  at(path: string): string;
  write(file: LiveFile): void;
}

export function openScratch(folder: string): Scratch {
  const at = (path: string) => join(folder, 'image', path);
  return {
    folder,
    at,
    write: ({ path, text }) => {
      mkdirSync(dirname(at(path)), { recursive: true });
      writeFileSync(at(path), text);
      // A file that may not be run is a guard that is not there: it must not be mended by copying it.
      chmodSync(at(path), statSync(path, { throwIfNoEntry: false })?.mode ?? 0o600);
    },
  };
}

/** The outermost folders that have to be covered, so that nothing of the user's is reached. */
export function coversOf(place: InstallTarget, state: string): string[] {
  const variables = ['CLAUDE_CONFIG_DIR', 'CODEX_HOME', 'COPILOT_HOME', 'PI_CODING_AGENT_DIR'];
  const folders = [
    place.home,
    rootOf(place),
    userFolderOf(place),
    state,
    ...variables.map((name) => place.env(name)),
    ...['XDG_CONFIG_HOME', 'XDG_DATA_HOME', 'XDG_CACHE_HOME'].map((name) => place.env(name)),
  ].filter((folder) => folder?.startsWith('/') === true) as string[];
  const real = [...new Set(folders.map(realPathOrSame))];
  return real.filter((one) => !real.some((other) => other !== one && isWithin(one, other)));
}

function userFolderOf({ scope, userFolder }: InstallTarget): string | undefined {
  return 'user' in scope ? scope.user : userFolder;
}

/** The policy of every layer that the covers would hide, without its records of runs. */
export function copyPolicy(scratch: Scratch, policy: Policy, covers: readonly string[]): void {
  for (const { kind, dir, insides } of policy.layers) {
    if (!covers.some((cover) => isWithin(realPathOrSame(dir), cover))) continue;
    if (kind === 'project') {
      for (const inside of insides) copyTree(join(dir, inside), scratch.at(join(dir, inside)));
      for (const name of readdirSync(dir).filter(isPolicy)) copySmall(join(dir, name), scratch);
    } else copyTree(dir, scratch.at(dir));
  }
  const { trustFolder } = policy;
  // What was agreed to counts in the copy as well: a project that is trusted is trusted there.
  if (trustFolder?.managed === false && existsSync(trustFolder.folder))
    copyTree(trustFolder.folder, scratch.at(trustFolder.folder));
  for (const { root, files } of policy.trust.flatMap(({ capabilities }) => capabilities)) {
    for (const name of Object.keys(files)) copySmall(join(root, name), scratch);
  }
}

/** What front ends read beside the policy folder; anything else there is the user's alone. */
function isPolicy(name: string): boolean {
  return name.endsWith('.star') || PROJECT_READERS.some(({ watches }) => watches.includes(name));
}

function copyTree(from: string, to: string): void {
  if (!existsSync(from)) return;
  mkdirSync(dirname(to), { recursive: true });
  cpSync(from, to, {
    recursive: true,
    dereference: true,
    force: true,
    filter: (path) => !LEFT_OUT.has(basename(path)) && isPlain(path),
  });
  chmodSync(to, statSync(from).mode);
}

function copySmall(file: string, scratch: Scratch): void {
  const stats = statSync(file, { throwIfNoEntry: false });
  if (stats?.isFile() !== true || stats.size > LARGEST_FILE) return;
  mkdirSync(dirname(scratch.at(file)), { recursive: true });
  cpSync(file, scratch.at(file), { dereference: true });
}

/** No sockets, no links to nowhere. */
function isPlain(path: string): boolean {
  const stats = statSync(path, { throwIfNoEntry: false });
  return stats !== undefined && (stats.isFile() || stats.isDirectory());
}

/** The rule that must stop the marked call: first of all, so that it is the one that decides. Null if there is no policy. */
export function canaryFile(
  policy: Policy,
  place: InstallTarget,
  mark: string,
  reason: string,
): LiveFile | null {
  const layer = policy.layers.find(({ kind, dir }) =>
    isUser(place)
      ? kind === 'user'
      : kind === 'project' && realPathOrSame(dir) === realPathOrSame(rootOf(place)),
  );
  if (layer?.insides[0] === undefined) return null;
  const text = [
    '---',
    'event: tool.pre',
    'priority: -1000000',
    'script: |',
    '  def handle(event, payload):',
    `    if ${JSON.stringify(mark)} in str(payload):`,
    `      return block(${JSON.stringify(reason)})`,
    '    return allow()',
    '---',
    '',
    '# Stops the call that `harness doctor --live` has the model make',
    '',
  ].join('\n');
  return { path: join(layer.dir, layer.insides[0], 'hooks', `${CANARY_HOOK}.md`), text };
}

export const CANARY_HOOK = 'harness_live_canary';

/** Paths that must stay reachable behind the covers: folders and files, each as it is named and where it stands. */
export function mustStayReachable(paths: readonly string[], covers: readonly string[]): string[] {
  const there = [...new Set(paths)].filter(
    (path) => lstatSync(path, { throwIfNoEntry: false }) !== undefined,
  );
  return there
    .filter((path) => covers.some((cover) => isWithin(path, cover) && path !== cover))
    .filter((path, _at, all) => !all.some((other) => other !== path && isWithin(path, other)));
}
