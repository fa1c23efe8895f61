/**
 * `harness fmt`: scripts and front matter in one form. What a file means stays as it is; one that cannot be understood is left alone
 * and named. Only files of a policy folder, `.star` files and files that are named outright are looked at.
 */
import { lstatSync, readdirSync, readFileSync, realpathSync, statSync } from 'node:fs';
import { basename, dirname, join, sep } from 'node:path';
import type { Problem } from '../base/index.ts';
import { type FormattedText, formatText, readArtifact } from '../files/index.ts';
import { replaceFile } from '../machine/index.ts';
import {
  countOf,
  onOneLine,
  quote,
  type Run,
  renderProblem,
  UsageError,
  unifiedDiff,
} from '../terminal/index.ts';

interface FormattedFile extends FormattedText {
  readonly path: string;
  readonly before: string;
}

export const run: Run = (args, output) => {
  const paths = args.positionals.length === 0 ? ['.'] : args.positionals;
  const [check, diff] = [args.has('check'), args.has('diff')];
  const files = [...new Set(paths.flatMap(filesAt))].map(formatAt);
  const changed = files.filter(({ before, after }) => after !== null && after !== before);
  const broken = files.filter(({ after }) => after === null);
  if (!check && !diff) for (const { path, after } of changed) write(path, after!);
  if (args.has('json')) {
    const names = (some: readonly FormattedFile[]) => some.map(({ path }) => path);
    output.line(JSON.stringify({ files: files.length, changed: names(changed), unreadable: names(broken) }));
  } else {
    for (const problem of broken.flatMap(({ problems }) => problems))
      output.note(renderProblem(problem, output.paintNote));
    if (diff) for (const { path, before, after } of changed) output.line(unifiedDiff(path, before, after));
    else
      for (const { path } of changed)
        output.line(`${check ? 'would format' : 'formatted'} ${onOneLine(path)}`);
    const done =
      changed.length === 0 ? 'all in form' : `${changed.length} ${check || diff ? 'not in form' : 'changed'}`;
    output.note(
      `${countOf(files.length, 'file')}, ${done}${broken.length > 0 ? `, ${broken.length} not understood` : ''}`,
    );
  }
  return broken.length > 0 || (check && changed.length > 0) ? 1 : 0;
};

function formatAt(path: string): FormattedFile {
  const read = readArtifact(dirname(path), basename(path));
  if (read.ok) {
    // As it stands, so that a byte order mark or other line ends count as a change.
    return { path, before: readFileSync(path, 'utf8'), ...formatText(path, read.text) };
  }
  const position = { file: path, line: 1, col: 1 };
  const problem: Problem = {
    severity: 'error',
    code: read.code,
    message: `${path} ${read.message}`,
    position,
  };
  return { path, before: '', after: null, problems: [problem] };
}

/** Through a link to the file itself, which keeps its rights. */
function write(path: string, text: string): void {
  try {
    replaceFile(realpathSync(path), text, { mode: statSync(path).mode & 0o777 });
  } catch (error) {
    throw new UsageError(`cannot write ${quote(path)}: ${(error as Error).message}`);
  }
}

function filesAt(path: string): string[] {
  const found = statSync(path, { throwIfNoEntry: false });
  if (found === undefined) throw new UsageError(`there is no file or folder ${quote(path)}`);
  return found.isDirectory() ? filesIn(path) : [path];
}

const SKIPPED: ReadonlySet<string> = new Set(['node_modules', 'runs', 'tests']);

function filesIn(folder: string): string[] {
  return readdirSync(folder)
    .sort()
    .flatMap((name) => {
      const path = folder === '.' ? name : join(folder, name);
      const found = lstatSync(path);
      if (found.isDirectory()) {
        const hidden = name.startsWith('.') && name !== '.harness';
        return hidden || SKIPPED.has(name) ? [] : filesIn(path);
      }
      return found.isFile() && (name.endsWith('.star') || isArtifact(path)) ? [path] : [];
    });
}

const ARTIFACT_FOLDERS = ['hooks', 'tools', 'agents', 'plugins', 'builtins', 'overrides'];

/** Markdown that holds policy: `harness.md`, and what stands in the folders of artifacts. */
function isArtifact(path: string): boolean {
  const parts = realpathSync(path).split(sep);
  const [inside, name = ''] = [parts.at(-2) ?? '', parts.at(-1)];
  if (name === 'harness.md') return true;
  if (!name.endsWith('.md') || !ARTIFACT_FOLDERS.includes(inside)) return false;
  return parts.includes('.harness') || hasFrontMatter(path);
}

function hasFrontMatter(path: string): boolean {
  return readFileSync(path, 'utf8').startsWith('---\n');
}
