/**
 * `harness.md`, the root config: inline hooks, the network allow-list, and settings other parts read from its raw keys.
 */
import type { Json } from '../../base/json.ts';
import type { Artifact } from '../../files/artifact.ts';
import { HARNESS_FIELDS } from '../../files/artifact-schema.ts';
import { checkFields, type Fields, type Scope } from '../../files/check-fields.ts';
import { toData } from '../../files/yaml-tree.ts';
import { normaliseDomain } from '../../script/network-policy.ts';
import type { ProjectSettings } from '../project-reader.ts';
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
    return { artifact, drafts: [wholeFile(artifact)], settings: { allowedDomains: [], raw: {} } };
  }
  const scope: Scope = { report, parsing, path: '' };
  const fields = checkFields(map, READ_FIELDS, scope);
  const raw: Record<string, Json> = {};
  for (const { name } of READ_FIELDS) {
    const tree = fields.get(name);
    if (tree !== undefined && name !== 'hooks') raw[name] = toData(tree);
  }
  return {
    artifact,
    drafts: draftsOf(artifact, fields, { kind: 'inline' }),
    settings: { allowedDomains: readDomains(artifact, fields), raw },
  };
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
