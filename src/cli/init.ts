/**
 * `harness init`: asks three questions at a terminal, writes the policy that answers them and connects the agents. Either every
 * file is written or, if one exists and --force is not given, none. An init that was cut off is finished by the next.
 */
import { existsSync, mkdirSync, statSync } from 'node:fs';
import { dirname, join, relative } from 'node:path';
import { userPlace } from '../agents/index.ts';
import { ownFolder, replaceFile } from '../machine/index.ts';
import { beginInit, endInit, isOfUnfinishedInit } from '../project/index.ts';
import { type Output, quote, type Run, trustWritten, UsageError } from '../terminal/index.ts';
import { type Answers, answersFor } from './init/questions.ts';
import { scaffold } from './init/scaffold.ts';
import { ownName } from './own-name.ts';

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
  const [given, extra] = args.positionals;
  if (extra !== undefined) throw new UsageError('two folders need --from');
  const answers = await answersFor(args);
  if (answers === null) {
    output.note('Nothing was written.');
    return 1;
  }
  const dir = folderFor(given, answers);
  if (existsSync(dir) && !statSync(dir).isDirectory()) throw new UsageError(`${quote(dir)} is not a folder`);

  const ownSettings = existsSync(join(dir, 'harness.md'));
  const files = scaffold({ ownSettings, observe: answers.observe, ownLoop: answers.agents.length === 0 });
  const paths = [...files.keys()];
  const existing = paths.filter((path) => existsSync(join(dir, path)) && !isOfUnfinishedInit(dir, path));
  if (existing.length > 0 && !args.has('force')) {
    output.note(`${output.paintNote('red', 'error')}: these files exist already; nothing was written:`);
    for (const path of existing) output.note(`  ${join(dir, path)}`);
    output.note('Use --force to overwrite them.');
    return 1;
  }
  write(dir, files);
  const trusted = await trustWritten(dir, paths, output);
  if (args.has('json')) {
    output.line(JSON.stringify({ dir, written: paths, overwritten: existing, trusted }));
    return 0;
  }
  for (const path of paths) output.line(`${output.paint('green', 'wrote')} ${join(dir, path)}`);
  if (ownSettings) output.line('Put `strict: true` into harness.md, so that a hook that fails blocks.');
  output.line();
  if (answers.agents.length > 0) return connect(dir, answers, output);
  printNext(dir, output);
  return 0;
};

function folderFor(given: string | undefined, { user }: Answers): string {
  if (!user) return given ?? '.';
  if (given !== undefined)
    throw new UsageError('a policy for all folders is written into your own: name no folder');
  const { scope } = userPlace();
  return 'user' in scope ? scope.user : '.';
}

function write(dir: string, files: ReadonlyMap<string, string>): void {
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
}

/** As `harness install` would, with its output. */
async function connect(dir: string, { agents, user }: Answers, output: Output): Promise<number> {
  const install = await import('./install.ts');
  return install.run(
    {
      positionals: agents,
      has: (option) => option === (user ? 'user' : 'dir'),
      value: (option) => (option === 'dir' && !user ? dir : undefined),
    },
    output,
  );
}

function printNext(dir: string, output: Output): void {
  const me = ownName();
  const here = relative('.', dir) === '';
  const [at, option] = here ? ['', ''] : [` ${dir}`, ` --dir ${dir}`];
  output.line('Next:');
  output.line(`  ${me} validate${at}`);
  output.line(`  ${me} hooks${at}`);
  output.line(`  ${me} install claude-code${option}   # or another agent: ${me} install --help`);
  output.line(
    `  echo '{"name":"run_command","args":{"command":"sudo rm -rf /"}}' | ${me} decide tool.pre${option}`,
  );
}
