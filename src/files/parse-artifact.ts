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
  /** With what `late` left out; absent if nothing was. */
  readonly whole?: () => Artifact;
}

export interface ArtifactOptions {
  /** What the file is, for messages: `hook`, `bundle`, or empty for `harness.md` itself. */
  readonly noun: string;
  readonly plainTextIsFine?: boolean;
  /** A field that is not to be read yet: with many values in it, it would take longer than all others. */
  readonly late?: string;
}

export function parseArtifact(
  path: string,
  read: ReadText,
  { noun, plainTextIsFine = false, late }: ArtifactOptions,
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
  const part = late === undefined ? null : withoutField(parts.yaml, late);
  if (part !== null) {
    const map = parseYaml({ ...parts, yaml: part }, report, parsing);
    const whole = () => parseArtifact(path, read, { noun, plainTextIsFine });
    // What is wrong may be that the rest hangs on it, and is said of the text as it stands.
    return map === null ? whole() : { path, parsing, report, map, body: parts.body, whole };
  }
  return { path, parsing, report, map: parseYaml(parts, report, parsing), body: parts.body };
}

/**
 * With blanks in the place of one field, so that all else stays where it is; null if there is no such field. In a map of fields
 * nothing but a key stands at the beginning of a line, but for comments, the items of a list and the end of the text.
 */
function withoutField(yaml: string, name: string): string | null {
  const [first, again] = [...yaml.matchAll(KEY)].filter(([, key]) => key === name);
  if (first === undefined || again !== undefined || !MAP_OF_FIELDS.test(yaml)) return null;
  // What is before the closing dashes ends with a line.
  const after = yaml.indexOf('\n', first.index) + 1;
  const rest = yaml.slice(after).search(NEXT);
  const end = rest === -1 ? yaml.length : after + rest;
  return yaml.slice(0, first.index) + yaml.slice(first.index, end).replace(/[^\n]/g, ' ') + yaml.slice(end);
}

const KEY = /^([a-z_]+):/gm;
const NEXT = /^[^\s#-]/m;
const MAP_OF_FIELDS = /^(?:#.*\n|[ \t]*\n)*[a-z_]+:/;
