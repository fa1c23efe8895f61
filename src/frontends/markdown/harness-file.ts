/**
 * `harness.md`, the root config: checked once, here. Hooks and the network allow-list are read from it at once; whoever
 * needs its other settings is handed the checked fields.
 */
import type { Artifact } from '../../files/artifact.ts';
import { aroundHooks, HARNESS_FIELDS } from '../../files/artifact-schema.ts';
import { checkFields, type Fields } from '../../files/check-fields.ts';
import { normaliseDomain } from '../../script/network-policy.ts';
import { type Draft, draftsOf, wholeFile } from './draft.ts';

/** Where it may stand. A project has one. */
export const HARNESS_PATHS = ['harness.md', '.harness/harness.md'] as const;

const READ_FIELDS = aroundHooks(HARNESS_FIELDS);

export interface HarnessFile {
  readonly artifact: Artifact;
  /** Null if the file could not be read that far. */
  readonly fields: Fields<typeof READ_FIELDS> | null;
  readonly drafts: readonly Draft[];
  /** Hosts scripts may reach over HTTP, normalised. */
  readonly allowedDomains: readonly string[];
}

export function readHarnessFile(artifact: Artifact): HarnessFile {
  const { map, report, parsing } = artifact;
  if (map === null) return { artifact, fields: null, drafts: [wholeFile(artifact)], allowedDomains: [] };
  const fields = checkFields(map, READ_FIELDS, { report, parsing, path: '' });
  const drafts = draftsOf(artifact, fields, { kind: 'inline' });
  return { artifact, fields, drafts, allowedDomains: readDomains(artifact, fields) };
}

/** A domain that cannot be understood is left out: nothing is allowed by mistake. */
function readDomains({ report }: Artifact, fields: Fields<typeof READ_FIELDS>): string[] {
  const network = fields.get('network');
  const list = network?.kind === 'map' ? network.entries.get('allowed_domains')?.value : undefined;
  return (fields.data.network?.allowed_domains ?? []).flatMap((written, i) => {
    const read = normaliseDomain(written);
    if (read.ok) return [read.pattern];
    const offset = list?.kind === 'list' ? list.items[i]!.start : fields.offset('network');
    report.error('FIELD_TYPE', `network.allowed_domains: ${read.message}`, offset);
    return [];
  });
}
