/**
 * A hook in Markdown from its text alone: for programs that keep hooks elsewhere than in files, and for places without files.
 */
import { type Problem, SourceFile } from '../../base/index.ts';
import type { Hook } from '../../engine/index.ts';
import { type Artifact, parseArtifact } from '../../files/index.ts';
import { isLibraryName, Library } from '../../script/index.ts';
import { brokenHook } from '../broken-hook.ts';
import type { HookTest } from '../project-reader.ts';
import { buildHook } from './build-hook.ts';
import { type Draft, wholeFile } from './draft.ts';

export interface MarkdownHook {
  /**
   * The hook; or what stands in for it if it could not be loaded, which blocks its event, or every gate if not even the
   * event is known.
   */
  readonly hooks: readonly Hook[];
  /** Whatever is wrong with the text; the hook is whole if none is an error. */
  readonly problems: readonly Problem[];
  /** The cases that the hook carries. */
  readonly tests: readonly HookTest[];
}

export interface TextOptions {
  /** Files the script may load, by name: `{ 'paths.star': text }` is `load("//lib/paths.star", …)`. */
  readonly library?: Readonly<Record<string, string>>;
  /** Count which lines run, see `Hook.covered`. */
  readonly coverage?: boolean;
}

/** `file` names the hook as a file would: `command_guard.md`. Never throws because of the text. */
export async function hookFromText(
  file: string,
  text: string,
  options: TextOptions = {},
): Promise<MarkdownHook> {
  const plain = (text.startsWith('\ufeff') ? text.slice(1) : text).replaceAll('\r\n', '\n');
  const artifact = parseArtifact(file, { ok: true, text: plain }, { noun: 'hook' });
  const { hook, broken, tests } = await buildHook(fileDraft(artifact), 0, {
    library: libraryOf(options),
    coverage: options.coverage ?? false,
  });
  const hooks = hook === undefined ? (broken === undefined ? [] : brokenHook(broken)) : [hook];
  return { hooks, problems: artifact.report.problems, tests: tests().tests };
}

function libraryOf({ library = {} }: TextOptions): Library {
  const files = Object.entries(library).filter(([name]) => isLibraryName(name));
  return new Library(
    new Map(files.map(([name, text]) => [name, new SourceFile(`.harness/lib/${name}`, text)])),
  );
}

/** A file that is one hook. */
export function fileDraft(artifact: Artifact): Draft {
  return { ...wholeFile(artifact), kind: 'file', map: artifact.map };
}
