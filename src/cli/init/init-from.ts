/**
 * `harness init --from SYSTEM`: takes over the hooks of a project of another system, says what it copied and what is left to do,
 * and reads the result as `validate` would. Either every file is written or, when one stands in the way, none.
 */
import { chmodSync, existsSync, mkdirSync, statSync, writeFileSync } from 'node:fs';
import { dirname, join, resolve } from 'node:path';
import { didYouMean } from '../../base/index.ts';
import { openPolicy } from '../../policy/index.ts';
import {
  type Arguments,
  countOf,
  type Output,
  quote,
  renderProblem,
  UsageError,
} from '../../terminal/index.ts';
import { type ConvertedSystem, convertSystem, SYSTEMS, type System } from './from.ts';

/** One folder is where the other project stands; with two, the first is where it is taken to. */
export async function initFrom(system: string, args: Arguments, output: Output): Promise<number> {
  if (!isSystem(system)) {
    const hint = didYouMean(system, SYSTEMS);
    throw new UsageError(`--from wants ${SYSTEMS.join(', ')}, got ${quote(system)}${hint}`);
  }
  const [first = '.', second] = args.positionals;
  const [target, source] = second === undefined ? ['.', first] : [first, second];
  if (!existsSync(source) || !statSync(source).isDirectory())
    throw new UsageError(`${quote(source)} is not a folder`);
  const taken = convertSystem(system, resolve(source));
  if ('problem' in taken) throw new UsageError(taken.problem);
  const inPlace = resolve(source) === resolve(target);
  const written = [...taken.files.keys()].filter((path) => !inPlace || !existsSync(join(source, path)));
  const standing = written.filter((path) => existsSync(join(target, path)));
  if (standing.length > 0 && !args.has('force')) {
    output.note(`${output.paintNote('red', 'error')}: these files exist already; nothing was written:`);
    for (const path of standing) output.note(`  ${join(target, path)}`);
    output.note('Use --force to overwrite them.');
    return 1;
  }
  for (const path of written) put(taken, path, resolve(source), target);
  return report(taken, written, target, args, output);
}

async function report(
  { notes }: ConvertedSystem,
  written: readonly string[],
  target: string,
  args: Arguments,
  output: Output,
): Promise<number> {
  const policy = await openPolicy(target);
  const { problems } = policy;
  const errors = problems.filter(({ severity }) => severity === 'error').length;
  if (args.has('json')) {
    output.line(JSON.stringify({ dir: target, written, notes, hooks: policy.authored, problems }));
    return errors > 0 ? 1 : 0;
  }
  for (const path of written) output.line(`${output.paint('green', 'copied')} ${join(target, path)}`);
  // What another project wrote is not vouched for by copying it.
  const trust =
    'What it asks for beyond the sandbox holds here once somebody has looked at it: harness trust';
  const asked = policy.trust.some(({ by }) => by === null);
  for (const note of asked ? [...notes, trust] : notes)
    output.line(`${output.paint('yellow', 'note')} ${note}`);
  for (const problem of problems) output.line(renderProblem(problem, output.paint));
  output.line();
  output.line(`${countOf(policy.authored, 'hook')}, ${countOf(errors, 'error')}`);
  return errors > 0 ? 1 : 0;
}

function put({ files }: ConvertedSystem, path: string, source: string, target: string): void {
  const file = join(target, path);
  try {
    mkdirSync(dirname(file), { recursive: true });
    writeFileSync(file, files.get(path)!);
    // A script stays executable.
    const from = join(source, path);
    if (existsSync(from)) chmodSync(file, statSync(from).mode & 0o777);
  } catch (error) {
    throw new UsageError(`cannot write ${file}: ${(error as Error).message}`);
  }
}

function isSystem(text: string): text is System {
  return (SYSTEMS as readonly string[]).includes(text);
}
