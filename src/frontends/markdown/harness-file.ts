/**
 * `harness.md`, the root config: inline hooks and what it says about the policy as a whole. The settings of an agent that
 * stand in the same file are read by `agent/config`.
 */
import { isJsonObject } from '../../base/json.ts';
import type { Artifact } from '../../files/artifact.ts';
import { HARNESS_FIELDS } from '../../files/artifact-schema.ts';
import { checkFields, type Fields, type Scope } from '../../files/check-fields.ts';
import { type Tree, toData } from '../../files/yaml-tree.ts';
import { normaliseDomain } from '../../script/network-policy.ts';
import { NO_SETTINGS, type ProjectSettings } from '../project-reader.ts';
import { aroundHooks, type Draft, draftsOf, wholeFile } from './draft.ts';

/** Where it may stand. A project has one. */
export const HARNESS_PATHS = ['harness.md', '.harness/harness.md'] as const;

const READ_FIELDS = aroundHooks(HARNESS_FIELDS);

export interface HarnessFile {
  readonly artifact: Artifact;
  readonly drafts: readonly Draft[];
  readonly settings: ProjectSettings;
}

export function readHarnessFile(artifact: Artifact): HarnessFile {
  const { map, report, parsing } = artifact;
  if (map === null) {
    return { artifact, drafts: [wholeFile(artifact)], settings: { ...NO_SETTINGS, ...unreadable(artifact) } };
  }
  const scope: Scope = { report, parsing, path: '' };
  const fields = checkFields(map, READ_FIELDS, scope);
  const exit = fields.get('exit_policy');
  const mode = exit?.kind === 'map' ? exit.entries.get('mode')?.value : undefined;
  const network = map.entries.get('network')?.value;
  return {
    artifact,
    drafts: draftsOf(artifact, fields, { kind: 'inline' }),
    settings: {
      allowedDomains: readDomains(artifact, fields),
      restrictsNetwork:
        network !== undefined &&
        !isNothing(network) &&
        (network.kind !== 'map' || network.entries.has('allowed_domains')),
      // Written, and not a clear no: a switch for safety that cannot be read is on.
      strict: isOn(map.entries.get('strict')?.value),
      exitMode: mode?.kind === 'scalar' && typeof mode.value === 'string' ? mode.value : NO_SETTINGS.exitMode,
      permissions: readTable(artifact, fields),
    },
  };
}

/** A file that cannot be read may have held a table: it counts as one that lets nothing run. */
function unreadable({ path }: Artifact): Partial<ProjectSettings> {
  return { restrictsNetwork: true, strict: true, permissions: [{ file: path, line: 1, table: null }] };
}

function readTable({ path, map, report }: Artifact, fields: Fields): ProjectSettings['permissions'] {
  const written = map?.entries.get('permissions')?.value;
  if (written === undefined || isNothing(written)) return [];
  const { line } = report.source.position(written.start);
  const tree = fields.get('permissions');
  const table = tree === undefined ? null : toData(tree);
  return [{ file: path, line, table: isJsonObject(table) ? table : null }];
}

function isOn(tree: Tree | undefined): boolean {
  return tree !== undefined && !(tree.kind === 'scalar' && (tree.value === false || tree.value === null));
}

function isNothing(tree: Tree): boolean {
  return tree.kind === 'scalar' && tree.value === null;
}

/** A domain that cannot be understood is left out: nothing is allowed by mistake. */
function readDomains(artifact: Artifact, fields: Fields): string[] {
  const network = fields.get('network');
  const list = network?.kind === 'map' ? network.entries.get('allowed_domains')?.value : undefined;
  if (list?.kind !== 'list') return [];
  const domains: string[] = [];
  for (const item of list.items) {
    if (item.kind !== 'scalar' || typeof item.value !== 'string') continue;
    const read = normaliseDomain(item.value);
    if (read.ok) domains.push(read.pattern);
    else artifact.report.error('FIELD_TYPE', `network.allowed_domains: ${read.message}`, item.start);
  }
  return domains;
}
