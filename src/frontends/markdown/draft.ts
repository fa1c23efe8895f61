/**
 * A hook as it stands in a file, before its fields are checked and its script is compiled.
 */
import {
  type Field,
  isNothing,
  type ListNode,
  type MapNode,
  type Problem,
  textAt,
} from '../../base/index.ts';
import type { Condition } from '../../engine/index.ts';
import type { Artifact, Fields } from '../../files/index.ts';

export interface Draft {
  readonly name: string;
  readonly kind: 'inline' | 'file' | 'bundle';
  readonly artifact: Artifact;
  /** Null if the file could not be read that far. */
  readonly map: MapNode | null;
  /** Where the hook stands in its file: empty, or `hooks[2].` */
  readonly path: string;
  readonly position: number;
  /** What a bundle demands of all its hooks. */
  readonly condition?: Condition;
  /** Something wrong outside the hook's own fields that keeps it from loading. */
  readonly problem?: Problem;
}

type Shared = Pick<Draft, 'kind' | 'condition' | 'problem'>;

/** The drafts of the `hooks:` list of a file that has been checked. */
export function draftsOf(
  artifact: Artifact,
  fields: Pick<Fields<{ hooks: Field }>, 'list' | 'map'>,
  shared: Shared,
): Draft[] {
  const list = fields.list('hooks');
  if (list !== undefined) return draftsOfList(artifact, list, shared);
  const given = fields.map.entries.get('hooks')?.value;
  // A `hooks` of the wrong type hides guards nobody can name any more.
  return given === undefined || isNothing(given) ? [] : [wholeFile(artifact)];
}

/** Stands for hooks that cannot be told apart because their file cannot be read. */
export function wholeFile(artifact: Artifact): Draft {
  const name = artifact.path.slice(artifact.path.lastIndexOf('/') + 1).replace(/\.md$/i, '');
  return { name, kind: 'bundle', artifact, map: null, path: '', position: 0 };
}

/** A handler used twice is reported; both hooks stay in force. */
function draftsOfList(artifact: Artifact, list: ListNode, more: Shared): Draft[] {
  const seen = new Set<string>();
  return list.items.map((item, position) => {
    const path = `hooks[${position}].`;
    if (item.kind !== 'map') {
      const { report, parsing } = artifact;
      const message = report.inYaml(parsing, `hooks[${position}] must be a map`, item.start);
      const problem = report.error('FIELD_TYPE', message, item.start);
      return { ...more, name: `${artifact.path}[${position}]`, artifact, map: null, path, position, problem };
    }
    const handler = textAt(item, 'handler') || null;
    // One handler may serve several events of a bundle; within the root config names are unique outright.
    const identity = more.kind === 'bundle' ? `${textAt(item, 'event')} ${handler}` : handler;
    if (handler !== null && seen.has(String(identity))) {
      const message = `${path}handler ${JSON.stringify(handler)} is used twice`;
      artifact.report.error('HOOK_DUPLICATE', message, item.start);
    }
    seen.add(String(identity));
    return { ...more, name: handler ?? `${artifact.path}[${position}]`, artifact, map: item, path, position };
  });
}
