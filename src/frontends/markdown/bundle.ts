/**
 * Bundle artifacts under `.harness/{plugins,builtins,overrides}/`: several hooks (and tools) that come and go together.
 * Their hooks are added to the chain and never override others.
 */

import type { Condition } from '../../engine/index.ts';
import {
  type Artifact,
  BUNDLE_FIELDS,
  checkFields,
  embeddedExpression,
  type Fields,
  withHookList,
} from '../../files/index.ts';
import { compileCondition } from '../../script/index.ts';
import { type Draft, draftsOf, wholeFile } from './draft.ts';

export interface Bundle {
  readonly artifact: Artifact;
  readonly name: string | null;
  readonly dependsOn: readonly string[];
  readonly drafts: readonly Draft[];
}

/** Each folder and the kind of bundle it is for. */
export const BUNDLE_FOLDERS: Readonly<Record<string, string>> = {
  '.harness/builtins': 'builtin',
  '.harness/overrides': 'override',
  '.harness/plugins': 'plugin',
};

const READ_FIELDS = withHookList(BUNDLE_FIELDS);

export function readBundle(artifact: Artifact, folderKind: string): Bundle {
  const { report, map, parsing } = artifact;
  if (map === null) {
    return { artifact, name: null, dependsOn: [], drafts: [wholeFile(artifact)] };
  }
  const fields = checkFields(map, READ_FIELDS, { report, parsing, path: '' });
  checkKind(artifact, fields, folderKind);

  const before = report.problems.length;
  const condition = readCondition(artifact, fields);
  const problem = report.failedSince(before) ? report.firstError(before) : null;
  const shared = { kind: 'bundle', ...(condition && { condition }), ...(problem && { problem }) } as const;
  const drafts = draftsOf(artifact, fields, shared);
  const { name = null, depends_on: dependsOn = [] } = fields.data;
  return { artifact, name, dependsOn, drafts };
}

/** Reports dependencies that no bundle of the project satisfies. The hooks stay in force. */
export function checkDependencies(bundles: readonly Bundle[]): void {
  const names = new Set(bundles.map((bundle) => bundle.name));
  for (const { artifact, dependsOn } of bundles) {
    for (const wanted of dependsOn) {
      if (names.has(wanted)) continue;
      const at = artifact.map?.entries.get('depends_on')?.keyStart ?? 0;
      artifact.report.error(
        'BUNDLE_INVALID',
        `depends_on names ${JSON.stringify(wanted)}, which no bundle here is`,
        at,
      );
    }
  }
}

/** What a kind must hold. */
interface Demand {
  readonly anyOf: readonly (keyof typeof READ_FIELDS)[];
  readonly says: string;
}
const DEMANDS: Readonly<Record<string, Demand>> = {
  builtin: { anyOf: ['tools', 'hooks'], says: 'a builtin needs a tool or a hook' },
  plugin: { anyOf: ['description'], says: 'a plugin needs a description' },
  override: { anyOf: ['tools', 'hooks', 'context'], says: 'an override needs tools, hooks or context' },
};

type BundleFields = Fields<typeof READ_FIELDS>;

function checkKind(artifact: Artifact, fields: BundleFields, folderKind: string): void {
  const { kind } = fields.data;
  if (kind === undefined) return;
  const { report } = artifact;
  const demand = Object.hasOwn(DEMANDS, kind) ? DEMANDS[kind]! : null;
  if (demand !== null && !demand.anyOf.some((name) => isNonEmpty(fields, name))) {
    report.error('BUNDLE_INVALID', demand.says, fields.offset('kind'));
  }
  if (kind !== folderKind) {
    const message = `a bundle of kind ${kind} in the folder for kind ${folderKind}`;
    report.warning('BUNDLE_INVALID', message, fields.offset('kind'));
  }
}

function isNonEmpty(fields: BundleFields, name: keyof typeof READ_FIELDS): boolean {
  const tree = fields.get(name);
  if (tree === undefined) return false;
  if (tree.kind === 'scalar') return tree.value !== '';
  return tree.kind === 'list' ? tree.items.length > 0 : tree.entries.size > 0;
}

function readCondition(artifact: Artifact, fields: BundleFields): Condition | null {
  const node = fields.scalar('condition');
  if (node === undefined || String(node.value).trim() === '') return null;
  const { report } = artifact;
  const compiled = compileCondition(embeddedExpression(report.source, node), 'condition');
  if (compiled.ok) return compiled.condition;
  for (const { message, position } of compiled.mistakes) report.at('WHEN_INVALID', message, position);
  return null;
}
