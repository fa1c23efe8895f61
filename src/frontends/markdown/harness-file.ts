/**
 * `harness.md`, the root config: checked once, here. Hooks and what it says about the policy as a whole are read from it at
 * once; who needs its other settings is handed the checked fields.
 */
import { isNothing, type Tree } from '../../base/tree.ts';
import type { Artifact } from '../../files/artifact.ts';
import { aroundHooks, HARNESS_FIELDS } from '../../files/artifact-schema.ts';
import { checkFields, type Fields } from '../../files/check-fields.ts';
import { normaliseDomain } from '../../script/network-policy.ts';
import { NO_SETTINGS, type ProjectSettings } from '../project-reader.ts';
import { type Draft, draftsOf, wholeFile } from './draft.ts';

/** Where it may stand. A project has one. */
export const HARNESS_PATHS = ['harness.md', '.harness/harness.md'] as const;

const READ_FIELDS = aroundHooks(HARNESS_FIELDS);

export interface HarnessFile {
  readonly artifact: Artifact;
  /** Null if the file could not be read that far. */
  readonly fields: Fields<typeof READ_FIELDS> | null;
  readonly drafts: readonly Draft[];
  readonly settings: ProjectSettings;
}

export function readHarnessFile(artifact: Artifact): HarnessFile {
  const { map, report, parsing } = artifact;
  if (map === null)
    return { artifact, fields: null, drafts: [wholeFile(artifact)], settings: unreadable(artifact) };
  const fields = checkFields(map, READ_FIELDS, { report, parsing, path: '' });
  const drafts = draftsOf(artifact, fields, { kind: 'inline' });
  return { artifact, fields, drafts, settings: readSettings(artifact, fields) };
}

type HarnessFields = Fields<typeof READ_FIELDS>;

function readSettings(artifact: Artifact, fields: HarnessFields): ProjectSettings {
  const written = (name: string): Tree | null => {
    const tree = fields.map.entries.get(name)?.value;
    return tree === undefined || isNothing(tree) ? null : tree;
  };
  const network = written('network');
  const strict = written('strict');
  return {
    allowedDomains: readDomains(artifact, fields),
    restrictsNetwork: network !== null && (network.kind !== 'map' || network.entries.has('allowed_domains')),
    // Written, and not a clear no: a switch for safety that cannot be read is on.
    strict: strict !== null && !(strict.kind === 'scalar' && strict.value === false),
    exitMode: fields.data.exit_policy?.mode ?? NO_SETTINGS.exitMode,
    permissions: readTable(artifact, fields, written('permissions')),
  };
}

/** A file that cannot be read may have held a table: it counts as one that lets nothing run. */
function unreadable({ path }: Artifact): ProjectSettings {
  const permissions = [{ file: path, line: 1, table: null }];
  return { ...NO_SETTINGS, restrictsNetwork: true, strict: true, permissions };
}

function readTable({ path, report }: Artifact, fields: HarnessFields, written: Tree | null) {
  if (written === null) return [];
  const { line } = report.source.position(written.start);
  const table = fields.get('permissions') === undefined ? null : (fields.data.permissions ?? null);
  return [{ file: path, line, table }];
}

/** A domain that cannot be understood is left out: nothing is allowed by mistake. */
function readDomains({ report }: Artifact, fields: HarnessFields): string[] {
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
