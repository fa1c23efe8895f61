/**
 * One Markdown artifact as far as YAML goes, from its text: split and parsed, with everything wrong in its report.
 */
import { type MapNode, mapNode } from '../base/index.ts';
import { splitFrontmatter } from './frontmatter.ts';
import type { ReadText } from './read-file.ts';
import { FileReport } from './report.ts';
import { parseYaml } from './yaml-tree.ts';

export interface Artifact {
  /** Relative to the project, with forward slashes. */
  readonly path: string;
  /** Begins the messages of the parser: `parse hook command_guard.md`. */
  readonly parsing: string;
  readonly report: FileReport;
  /** Null if the file could not be read that far; the report says why. */
  readonly map: MapNode | null;
  readonly body: string;
}

export interface ArtifactOptions {
  /** What the file is, for messages: `hook`, `bundle`, or empty for `harness.md` itself. */
  readonly noun: string;
  readonly plainTextIsFine?: boolean;
}

export function parseArtifact(
  path: string,
  read: ReadText,
  { noun, plainTextIsFine = false }: ArtifactOptions,
): Artifact {
  const name = path.slice(path.lastIndexOf('/') + 1);
  const parsing = noun === '' ? `parse ${name}` : `parse ${noun} ${name}`;
  const report = new FileReport(path, read.ok ? read.text : '');
  if (!read.ok) {
    report.error(read.code, `${parsing}: ${read.message}`, 0);
    return { path, parsing, report, map: null, body: '' };
  }
  const split = splitFrontmatter(read.text);
  if (!split.ok) {
    if (plainTextIsFine && split.code === 'FRONTMATTER_MISSING') {
      report.warning(split.code, `${parsing}: no settings are read from it: ${split.message}`, split.offset);
      return { path, parsing, report, map: mapNode(0), body: read.text };
    }
    report.error(split.code, `${parsing}: ${split.message}`, split.offset);
    return { path, parsing, report, map: null, body: '' };
  }
  const { parts } = split;
  return { path, parsing, report, map: parseYaml(parts, report, parsing), body: parts.body };
}
