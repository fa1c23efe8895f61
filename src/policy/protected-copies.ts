/**
 * What is copied or moved into a folder comes to stand in it under its own name, and the contents of a folder under theirs: whether
 * that is a guarded place. Patterns are looked up on the disk; a folder that is not there yet may hold anything.
 */
import { existsSync } from 'node:fs';
import { basename, dirname, join, resolve } from 'node:path';
import { partMatches } from '../base/index.ts';
import type { Command } from '../shell/index.ts';
import type { Protected } from './protected.ts';
import { type GlobOptions, isPattern, pathsMatching, shapesOf } from './protected-globs.ts';
import type { Patched } from './protected-patches.ts';
import { atHome, type JudgedCall } from './protected-words.ts';

/** True: a folder is always copied without its own name. */
const COPIERS: ReadonlyMap<string, boolean> = new Map([
  ...'cp mv rsync install ln ginstall gcp gmv gln scp pax'.split(' ').map((name) => [name, false] as const),
  ...'ditto robocopy xcopy rclone'.split(' ').map((name) => [name, true] as const),
]);
const RCLONE = /^(?:copy|copyto|move|moveto|sync|bisync)$/;
/** A folder with all it holds, to a folder. */
const CODE_COPIES =
  /\b(?:copytree|copy_tree|cpSync|copySync|cp_r|cp|copy_entry|dircopy)\s*\(\s*(["'])([^"'\n]{1,400})\1\s*,\s*(["'])([^"'\n]{1,400})\3/g;
const MOST_CALLS = 64;
const OPEN = /\$[({]/;

/** What a command would copy over a guarded file. */
export function copied(
  command: Command,
  call: JudgedCall,
  guarded: Protected,
  options: GlobOptions,
): Patched {
  const ends = endsOf(command);
  if (ends === null) return null;
  const cwd = command.cwd ?? call.cwd;
  const at = (path: string) => resolve(cwd, atHome(path, call.home));
  const emptied = command.operands.filter((operand) => /(?:^|\/)\.{0,2}$/.test(operand)).map(at);
  const unnamed =
    COPIERS.get(command.program) === true ||
    (command.code !== null && command.code.language !== 'sh') ||
    command.has('-T', '--no-target-directory');
  let unseen: string | null = null;
  for (const target of ends.targets.map(at)) {
    const inside = [...guarded.paths.folders, ...guarded.paths.files].filter((place) =>
      place.startsWith(`${target}/`),
    );
    if (inside.length === 0) continue;
    const firsts = inside.map((place) => place.slice(target.length + 1).split('/')[0]!);
    for (const given of ends.sources) {
      const source = at(given);
      const bringsContents = unnamed || emptied.includes(source);
      for (const path of pathsOf(source, options)) {
        const name = basename(path);
        if (guarded.reach(name, target) !== null) return { place: join(target, name) };
        const found = bringsContents ? inside.find((_, i) => existsSync(join(path, firsts[i]!))) : undefined;
        if (found !== undefined) return { place: found };
      }
      if (OPEN.test(source)) continue;
      const mayBring = isPattern(source)
        ? isPatternOfNothing(source, firsts, options)
        : bringsContents && !existsSync(source);
      if (mayBring) unseen ??= `${given} is not there yet`;
    }
  }
  return unseen === null ? null : { unseen };
}

interface Ends {
  readonly sources: readonly string[];
  readonly targets: readonly string[];
}

function endsOf(command: Command): Ends | null {
  const { program, operands, reads, deletes, writes, code } = command;
  if (code !== null && code.language !== 'sh') {
    const calls = [...code.text.matchAll(CODE_COPIES)].slice(0, MOST_CALLS);
    return { sources: calls.map(([, , from]) => from!), targets: calls.map(([, , , , to]) => to!) };
  }
  if (program === 'git') return command.sub(0) === 'mv' ? { sources: deletes, targets: writes } : null;
  if (!COPIERS.has(program)) return null;
  if (writes.length > 0) return { sources: [...reads, ...deletes], targets: writes };
  // Without a row: what stands last is the target.
  const words = program === 'rclone' ? (RCLONE.test(operands[0] ?? '') ? operands.slice(1) : []) : operands;
  const paths = words.filter((word) => !/^\/\w$/.test(word));
  return { sources: paths.slice(0, -1), targets: paths.slice(-1) };
}

function pathsOf(source: string, options: GlobOptions): readonly string[] {
  if (!isPattern(source)) return [source];
  return shapesOf(source, options).flatMap((shape) => pathsMatching(shape, options));
}

/** A pattern in a folder that is not there yet, which may stand for a guarded name; a plain star does for everything and nothing. */
function isPatternOfNothing(source: string, firsts: readonly string[], options: GlobOptions): boolean {
  const fixed = source.slice(0, source.search(/[*?[]|[@+!]\(/));
  if (existsSync(dirname(`${fixed}x`))) return false;
  return shapesOf(basename(source), options).some(
    (shape) => !shape.startsWith('*') && firsts.some((first) => partMatches(shape, first)),
  );
}
