/**
 * The reader of `.harness/lib`: files that scripts load. Every file there is compiled and part of the digest, loaded or not. One that
 * is broken breaks the scripts that load it, and those block; it guards nothing by itself.
 */
import { join } from 'node:path';
import { type Problem, SourceFile } from '../../base/index.ts';
import { FileReport, type FolderSnapshot, isAbsent, LEADS_OUT, leadsOut, reason } from '../../files/index.ts';
import {
  isLibraryName,
  LIBRARY_ENVIRONMENT,
  Library,
  type LibraryFile,
  type ScriptCheck,
} from '../../script/index.ts';
import { type ProjectReader, policyPath, type ReadResult } from '../project-reader.ts';

const FOLDER = '.harness/lib';

/** Of a folder, as for data. */
const MOST_FILES = 200;

/** What scripts of a folder may load: its own files first, then those of the layers above it. */
export function readLibrary(
  snapshot: FolderSnapshot,
  inside: string | undefined,
  { above = null, coverage = false }: { readonly above?: Library | null; readonly coverage?: boolean } = {},
): Library {
  const folder = policyPath(FOLDER, inside);
  const files = new Map<string, LibraryFile>();
  for (const name of namesIn(snapshot, folder).names.filter(isLibraryName).slice(0, MOST_FILES)) {
    files.set(name, readOne(snapshot, `${folder}/${name}`));
  }
  return new Library(files, { above, coverage });
}

function readOne(snapshot: FolderSnapshot, path: string): LibraryFile {
  if (leadsOut(snapshot.dir, path)) return { unreadable: LEADS_OUT, path };
  const read = snapshot.text(path);
  return read.ok ? new SourceFile(path, read.text) : { unreadable: read.message, path };
}

/** What stands elsewhere is neither reviewed nor guarded with the policy. */
function namesIn(
  snapshot: FolderSnapshot,
  folder: string,
): { readonly names: readonly string[]; readonly fault?: string } {
  const listing = snapshot.list(folder);
  if (listing.ok) return { names: listing.names };
  const { thrown } = listing;
  return isAbsent(join(snapshot.dir, folder)) ? { names: [] } : { names: [], fault: reason(thrown) };
}

export function libraryReaderWith(check?: ScriptCheck): ProjectReader {
  return {
    name: 'library',
    watches: [FOLDER],
    read: async (snapshot, inside, library = null) =>
      readProblems(snapshot, policyPath(FOLDER, inside), library, check),
  };
}

export const libraryReader: ProjectReader = libraryReaderWith();

function readProblems(
  snapshot: FolderSnapshot,
  folder: string,
  library: Library | null,
  check: ScriptCheck | undefined,
): ReadResult {
  const { names, fault } = namesIn(snapshot, folder);
  const problems: Problem[] = [];
  const report = new FileReport(folder, '');
  if (fault !== undefined)
    report.error('FILE_UNREADABLE', `the folder ${folder} cannot be read: ${fault}`, 0);
  for (const name of names) {
    if (name.startsWith('.') || isLibraryName(name)) continue;
    report.warning('FILE_STRAY', `${folder}/${name} is not read: a library is NAME.star`, 0);
  }
  const own = names.filter(isLibraryName);
  if (own.length > MOST_FILES) {
    const message = `${own.length} libraries are more than the ${MOST_FILES} a policy may have`;
    report.error('CONFIG_INVALID', `${folder}: ${message}`, 0);
  }
  problems.push(...report.problems);
  for (const name of library?.files.keys() ?? []) problems.push(...problemsIn(name, library!, check));
  return { hooks: [], broken: [], problems, files: own.map((name) => `${folder}/${name}`) };
}

function problemsIn(name: string, library: Library, check: ScriptCheck | undefined): readonly Problem[] {
  const source = library.files.get(name)!;
  const loaded = library.own(name);
  const readable = !('unreadable' in source);
  const report = new FileReport(readable ? source.name : source.path, readable ? source.text : '');
  if (!loaded.ok) {
    const code = readable ? 'SCRIPT_INVALID' : 'FILE_UNREADABLE';
    for (const { message, position } of loaded.mistakes) report.at(code, message, position);
  } else if (readable && check !== undefined) {
    const environment = LIBRARY_ENVIRONMENT;
    for (const found of check({ kind: 'library', source, file: source, environment, library }))
      report.at(found.code, found.message, found.position, found.severity);
  }
  return report.problems;
}
