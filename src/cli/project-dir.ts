/**
 * The folder a command works on, and the project in it. A folder that is not there is wrong usage; one without hooks is
 * fine, but never silently so.
 */
import { statSync } from 'node:fs';
import type { ErrorCode } from '../base/errors.ts';
import { loadProject, type Project } from '../frontends/project.ts';
import { UsageError } from './command.ts';
import { quote } from './options.ts';
import type { Output } from './output.ts';
import { renderProblem } from './problems.ts';

export async function openProject(dir: string): Promise<Project> {
  let isFolder: boolean;
  try {
    isFolder = statSync(dir).isDirectory();
  } catch (error) {
    const code = (error as NodeJS.ErrnoException).code;
    throw new UsageError(
      code === 'ENOENT' ? `no such folder: ${quote(dir)}` : `cannot read ${quote(dir)}: ${code}`,
    );
  }
  if (!isFolder) throw new UsageError(`${quote(dir)} is not a folder`);
  return loadProject(dir);
}

/** What must be said on stderr before anything is decided: the wrong folder looks just like a harmless one. */
const NOTED: readonly ErrorCode[] = ['PROJECT_EMPTY', 'FILE_STRAY'];

export function noteIfEmpty(project: Project, output: Output): void {
  for (const problem of project.problems) {
    if (NOTED.includes(problem.code)) output.note(renderProblem(problem, output.paintNote));
  }
}

/** Hooks as their author counts them: one that stands in on every gate because it did not load is one hook. */
export function countHooks(project: Project): number {
  return new Set(project.hooks.map((hook) => `${hook.source}\n${hook.position}\n${hook.name}`)).size;
}
