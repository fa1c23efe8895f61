/**
 * What `tape find` remembers of each tape of a folder: where a search need not look. What is found is always read from the tape itself.
 */
import { HarnessError } from '../../base/index.ts';
import { chapters, factsOf, readTape, type TapeFacts } from '../../tape/index.ts';
import { FolderIndex, type IndexKind } from './folder-index.ts';

export type Facts = TapeFacts | { readonly problem: string };

const FIND: IndexKind<Facts> = { name: 'find.index', version: 1, read: readFacts, isSound };

/** `fresh`: what is there is not looked at. */
export function findIndex(folder: string, fresh: boolean): FolderIndex<Facts> {
  return new FolderIndex(folder, FIND, fresh);
}

export function readFacts(file: string): Facts {
  try {
    const { header, entries } = readTape(file);
    return factsOf(header, chapters(entries));
  } catch (thrown) {
    if (!(thrown instanceof HarnessError)) throw thrown;
    return { problem: thrown.message };
  }
}

function isSound(facts: object): boolean {
  const { problem, kinds, hooks, letters, last, started } = facts as Partial<TapeFacts & { problem: string }>;
  if (typeof problem === 'string') return true;
  const isList = (list: unknown) => list === null || (Array.isArray(list) && list.every(Array.isArray));
  const isText = letters === null || (typeof letters === 'string' && letters !== '');
  return (
    isList(kinds) &&
    isList(hooks) &&
    isText &&
    (last === null || typeof last === 'number') &&
    typeof started === 'string'
  );
}
