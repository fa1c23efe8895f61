/**
 * `harness.md`, the root config: checked once, here. Its hooks and what it says about the policy as a whole are read at
 * once; `agent/config` is handed the checked fields and reads the settings of an agent from them.
 */

import { isNothing, type Tree } from '../../base/index.ts';
import { type Artifact, checkFields, type Fields, HARNESS_FIELDS, withHookList } from '../../files/index.ts';
import { normaliseDomain } from '../../machine/index.ts';
import { remoteTable } from '../data/remote-table.ts';
import { NO_SETTINGS, type ProjectSettings } from '../project-reader.ts';
import { type Draft, draftsOf, wholeFile } from './draft.ts';

/** Where it may stand. A project has one. */
export const HARNESS_PATHS = ['harness.md', '.harness/harness.md'] as const;

// Said by name, or its declaration would be all of the fields once more.
const READ_FIELDS: ReturnType<typeof withHookList<typeof HARNESS_FIELDS>> = withHookList(HARNESS_FIELDS);
type HarnessFields = Fields<typeof READ_FIELDS>;

export interface HarnessFile {
  readonly artifact: Artifact;
  /** Null if the file could not be read that far. */
  readonly fields: HarnessFields | null;
  readonly drafts: readonly Draft[];
  readonly settings: ProjectSettings;
}

export function readHarnessFile(artifact: Artifact): HarnessFile {
  const { map, report, parsing, path } = artifact;
  if (map === null) {
    // It may have held a table: it counts as one that lets nothing run.
    const permissions = [{ file: path, line: 1, table: null }];
    const use = [{ file: path, line: 1, use: null, exceptions: [] }];
    const settings = {
      ...NO_SETTINGS,
      restrictsNetwork: true,
      strict: true,
      permissions,
      use,
      sources: [null],
    };
    return { artifact, fields: null, drafts: [wholeFile(artifact)], settings };
  }
  const fields = checkFields(map, READ_FIELDS, { report, parsing, path: '' });
  const settings: ProjectSettings = {
    allowedDomains: readDomains(artifact, fields),
    restrictsNetwork: restrictsNetwork(fields),
    // Written, and not a clear no: a switch for safety that cannot be read is on.
    strict: positionOf(fields, 'strict') !== null && fields.data.strict !== false,
    requires: readRequires(artifact, fields),
    exitMode: fields.data.exit_policy?.mode ?? NO_SETTINGS.exitMode,
    permissions: readTable(artifact, fields),
    environment: readEnvironment(artifact, fields),
    tape: readTape(artifact, fields),
    asking: readAsking(artifact, fields),
    hiddenText: readHiddenText(artifact, fields),
    sandboxes: readSandbox(artifact, fields),
    // Written, and not to be understood: nothing is trusted.
    sources: positionOf(fields, 'sources') === null ? [] : [fields.data.sources ?? null],
    use: readUse(artifact, fields),
    observe: fields.data.observe === true,
    tables: readTables(artifact, fields),
  };
  return { artifact, fields, drafts: draftsOf(artifact, fields, { kind: 'inline' }), settings };
}

/** What stands behind a key, also if it is wrong; null if nothing does. */
export function positionOf({ map }: HarnessFields, name: keyof typeof READ_FIELDS): Tree | null {
  const tree = map.entries.get(name)?.value;
  return tree === undefined || isNothing(tree) ? null : tree;
}

/** Whether `network.allowed_domains` is written at all, also if it is wrong, or misspelt. */
export function restrictsNetwork(fields: HarnessFields): boolean {
  if (positionOf(fields, 'network') === null) return false;
  const { network } = fields.data;
  return network === undefined || network.allowed_domains !== undefined;
}

function readRequires({ path, report }: Artifact, fields: HarnessFields): ProjectSettings['requires'] {
  const written = positionOf(fields, 'requires');
  if (written === null) return [];
  return [{ file: path, line: report.lineOf(written.start), version: fields.data.requires ?? null }];
}

function readTable({ path, report }: Artifact, fields: HarnessFields): ProjectSettings['permissions'] {
  const written = positionOf(fields, 'permissions');
  if (written === null) return [];
  return [{ file: path, line: report.lineOf(written.start), table: fields.data.permissions ?? null }];
}

function readEnvironment({ path, report }: Artifact, fields: HarnessFields): ProjectSettings['environment'] {
  const written = positionOf(fields, 'environment');
  if (written === null) return null;
  const { pass = null, name = null } = fields.data.environment ?? {};
  return { file: path, line: report.lineOf(written.start), pass, name };
}

function readTape({ path, report }: Artifact, fields: HarnessFields): ProjectSettings['tape'] {
  const written = positionOf(fields, 'tape');
  if (written === null) return null;
  const { payloads, sync = false, key = null } = fields.data.tape ?? {};
  // Written, and not to be understood: then as little is kept as can be.
  const kept = fields.data.tape === undefined ? 'digest' : (payloads ?? null);
  return { file: path, line: report.lineOf(written.start), payloads: kept, sync, key };
}

function readHiddenText({ path, report }: Artifact, fields: HarnessFields): ProjectSettings['hiddenText'] {
  const written = positionOf(fields, 'hidden_text');
  if (written === null) return null;
  // Written, and not to be understood: the strictest.
  return { file: path, line: report.lineOf(written.start), mode: fields.data.hidden_text ?? 'block' };
}

function readAsking({ path, report }: Artifact, fields: HarnessFields): ProjectSettings['asking'] {
  const written = positionOf(fields, 'approvals') ?? positionOf(fields, 'daemon');
  if (written === null) return null;
  const { webhook = null, key = null } = fields.data.approvals ?? {};
  return { file: path, line: report.lineOf(written.start), webhook, key, daemon: fields.data.daemon ?? null };
}

function readSandbox({ path, report }: Artifact, fields: HarnessFields): ProjectSettings['sandboxes'] {
  const written = positionOf(fields, 'sandbox');
  if (written === null) return [];
  return [{ file: path, line: report.lineOf(written.start), asked: fields.data.sandbox ?? null }];
}

/** Packs that cannot be understood, or that stand beside something wrong, are all in force. */
function readUse({ path, report }: Artifact, fields: HarnessFields): ProjectSettings['use'] {
  const [use, exceptions] = [positionOf(fields, 'use'), positionOf(fields, 'exceptions')];
  if (use === null && exceptions === null) return [];
  const line = report.lineOf((use ?? exceptions)!.start);
  const read = use === null ? [] : (fields.data.use ?? null);
  return [{ file: path, line, use: read, exceptions: fields.data.exceptions ?? [] }];
}

/** One that cannot be understood is there and never fetched; of all of them under one name, `*`. */
function readTables({ path, report }: Artifact, fields: HarnessFields): ProjectSettings['tables'] {
  const written = positionOf(fields, 'data');
  if (written === null) return [];
  const at = { file: path, line: report.lineOf(written.start) };
  const tables = fields.data.data?.tables;
  if (fields.data.data === undefined)
    return [{ ...remoteTable('_', { url: '' }, at), name: '*', problem: 'data cannot be understood' }];
  return Object.entries(tables ?? {}).map(([name, table]) => {
    const read = remoteTable(name, table, at);
    if (read.problem !== undefined)
      report.error('CONFIG_INVALID', `data.tables.${name}: ${read.problem}`, written.start);
    return read;
  });
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
