/**
 * `harness init`: writes the governed stack into a project. Either every file is written or, when one stands in the way
 * and --force is not given, none. One that was cut off is finished by the next.
 */
import { existsSync, mkdirSync, statSync } from 'node:fs';
import { dirname, join, relative } from 'node:path';
import { ownFolder, replaceFile } from '../machine/index.ts';
import { beginInit, endInit, isOfUnfinishedInit } from '../project/index.ts';
import { quote, type Run, trustWritten, UsageError } from '../terminal/index.ts';
import { SCAFFOLD, SETTINGS } from './init/scaffold.ts';
import { ownName } from './own-name.ts';

/** With `--observe`, one line that is taken out again makes everything count. */
function textOf(path: string, observe: boolean): string {
  const text = SCAFFOLD.get(path)!;
  if (!observe || path !== SETTINGS) return text;
  return text.replace(
    /^---\n/,
    '---\n# Nothing is stopped yet: `harness report` says what would be. Take this line out to make it count.\nobserve: true\n',
  );
}

function writing(what: string, write: () => void): void {
  try {
    write();
  } catch (error) {
    throw new UsageError(`cannot write ${what}: ${(error as Error).message}`);
  }
}

export const run: Run = async (args, output) => {
  const system = args.value('from');
  if (system !== undefined) return (await import('./init/init-from.ts')).initFrom(system, args, output);
  const [dir = '.', extra] = args.positionals;
  if (extra !== undefined) throw new UsageError('two folders go with --from only');
  if (existsSync(dir) && !statSync(dir).isDirectory()) throw new UsageError(`${quote(dir)} is not a folder`);

  const ownSettings = existsSync(join(dir, 'harness.md'));
  const paths = [...SCAFFOLD.keys()].filter((path) => !(ownSettings && path === SETTINGS));
  const standing = paths.filter((path) => existsSync(join(dir, path)) && !isOfUnfinishedInit(dir, path));
  if (standing.length > 0 && !args.has('force')) {
    output.note(`${output.paintNote('red', 'error')}: these files exist already; nothing was written:`);
    for (const path of standing) output.note(`  ${join(dir, path)}`);
    output.note('Use --force to overwrite them.');
    return 1;
  }

  const files = new Map(paths.map((path) => [path, textOf(path, args.has('observe'))]));
  writing(dir, () => {
    mkdirSync(dir, { recursive: true });
    beginInit(dir, files);
  });
  for (const [path, text] of files) {
    const file = join(dir, path);
    writing(file, () => {
      ownFolder(dir, dirname(path));
      replaceFile(file, text, { mode: 0o644, flush: true });
    });
  }
  endInit(dir);

  const trusted = await trustWritten(dir, paths, output);
  if (args.has('json')) {
    output.line(JSON.stringify({ dir, written: paths, overwritten: standing, trusted }));
    return 0;
  }
  for (const path of paths) output.line(`${output.paint('green', 'wrote')} ${join(dir, path)}`);
  if (ownSettings) output.line('Put `strict: true` into harness.md, so that a hook that fails blocks.');
  const me = ownName();
  const here = relative('.', dir) === '';
  const at = here ? '' : ` ${dir}`;
  output.line();
  output.line('Next:');
  output.line(`  ${me} validate${at}`);
  output.line(`  ${me} hooks${at}`);
  output.line(
    `  ${me} install claude-code${here ? '' : ` --dir ${dir}`}   # or another agent: ${me} install --help`,
  );
  output.line(
    `  echo '{"name":"run_command","args":{"command":"sudo rm -rf /"}}' | ${me} decide tool.pre${here ? '' : ` --dir ${dir}`}`,
  );
  return 0;
};
