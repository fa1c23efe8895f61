/**
 * `harness new hook|tool|pack NAME`: one file with its test. Nothing that exists is overwritten; a pack gets its line under `use:` in
 * harness.md, pinned by its digest, because without one it would not be in force.
 */
import { existsSync, mkdirSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { TOOL_NAME, TOOL_NAME_RULE } from '../agent/index.ts';
import { didYouMean } from '../base/index.ts';
import { eventSpec, resolveEvent } from '../engine/index.ts';
import { makeFile, ownFolder } from '../machine/index.ts';
import { pack, packTest, plainHook, tool, toolHook, toolTest } from '../project/index.ts';
import { type Arguments, quote, type Run, UsageError } from '../terminal/index.ts';
import { useLine } from './new/use-line.ts';

type Files = Readonly<Record<string, string>>;

const KINDS: Readonly<Record<string, (name: string, args: Arguments) => Files>> = {
  hook: (name, args) => ({
    [`.harness/hooks/${name}.md`]: `${hookText(args)}\n# ${name}\n\nWhy it exists.\n`,
  }),
  pack: (name) => ({
    [`.harness/packs/${name}.yaml`]: pack(name),
    [`.harness/tests/${name}.yaml`]: packTest(name),
  }),
  tool: (name) => ({
    [`.harness/tools/${name}.md`]: tool(),
    [`.harness/tests/${name}.yaml`]: toolTest(name),
  }),
};

export const run: Run = (args, output) => {
  const [kind = '', name = '', extra] = args.positionals;
  if (!Object.hasOwn(KINDS, kind)) {
    const hint = `${didYouMean(kind, Object.keys(KINDS))}; want ${Object.keys(KINDS).join(' or ')}`;
    throw new UsageError(`cannot make a ${quote(kind)}${hint}`);
  }
  if (extra !== undefined) throw new UsageError(`one name at a time, got ${quote(extra)} too`);
  if (!TOOL_NAME.test(name))
    throw new UsageError(`the name ${quote(name)} is not allowed: ${TOOL_NAME_RULE}`);
  if (kind !== 'hook' && args.has('event')) throw new UsageError('--event goes with a hook only');
  const dir = args.value('dir') ?? '.';
  const files = KINDS[kind]!(name, args);
  const standing = Object.keys(files).filter((path) => existsSync(join(dir, path)));
  if (standing.length > 0) {
    output.note(
      `${output.paintNote('red', 'error')}: ${join(dir, standing[0]!)} exists already; nothing was written`,
    );
    return 1;
  }
  const used = kind === 'pack' ? useLine(dir, name, pack(name)) : null;
  if (used !== null && 'problem' in used) {
    output.note(`${output.paintNote('red', 'error')}: ${used.problem}; nothing was written`);
    return 1;
  }
  for (const [path, text] of Object.entries(files)) {
    try {
      mkdirSync(dir, { recursive: true });
      ownFolder(dir, dirname(path));
      makeFile(join(dir, path), text);
    } catch (error) {
      throw new UsageError(`cannot write ${join(dir, path)}: ${(error as Error).message}`);
    }
    output.line(`${output.paint('green', 'wrote')} ${join(dir, path)}`);
  }
  if (used !== null) {
    used.write();
    output.line(`${output.paint('green', 'wrote')} its line under use: in ${join(dir, used.path)}`);
  }
  const at = dir === '.' ? '' : ` ${dir}`;
  output.line(`\nTry it: harness test${at} --filter ${name}`);
  return 0;
};

function hookText(args: Arguments): string {
  const written = args.value('event') ?? 'tool.pre';
  const resolved = resolveEvent(written);
  if (!resolved.ok) throw new UsageError(`${resolved.message}${resolved.hint}`);
  if (resolved.event === 'tool.pre') return toolHook(written);
  return plainHook(written, eventSpec(resolved.event)!);
}
