/**
 * One effect as a line of text: what examples in rows, `explain` and the reference page write.
 */
import type { Effect } from './effect.ts';

/** `delete recursive home.documents`, `send workspace to example.com`, `run from download`. */
export function effectText(effect: Effect): string {
  const { kind, verb, resource, recursive, from, paths, hosts, certainty } = effect;
  const zones = [...new Set(paths.map(({ zone }) => zone))];
  const words = [
    certainty === 'possible' ? 'possibly' : '',
    kind,
    verb,
    resource === '' ? '' : `of ${resource}`,
    recursive && paths.length > 0 && kind !== 'read' ? 'recursive' : '',
    from === null ? '' : `from ${from}`,
    zones.join(' '),
    hosts.length === 0 ? '' : `${kind === 'receive' ? 'from' : 'to'} ${hosts.join(' ')}`,
  ];
  return words.filter((word) => word !== '').join(' ');
}
