/**
 * What finds secrets: an index of keywords, and what is done where one of them stands. Made when the first text is looked at,
 * since most runs of the command line look at none.
 */
import { canBeginAt } from './boundaries.ts';
import { assignmentDetector, type Scan } from './detectors.ts';
import { indexKeywords, type KeywordIndex } from './keyword-index.ts';
import { detectorsByKeyword } from './looks-by-keyword.ts';

export interface SecretTable {
  readonly index: KeywordIndex;
  /** Looks where a keyword stands, given by its number. */
  readonly look: (scan: Scan, keyword: number, at: number) => void;
}

let cachedTable: SecretTable | null = null;

export function secretTable(): SecretTable {
  cachedTable ??= makeTable();
  return cachedTable;
}

/** Known without the looks themselves. */
const OF_NAMES = 1;
const BEGINS = 2;

function makeTable(): SecretTable {
  const byKeyword = detectorsByKeyword();
  const looks = [...byKeyword.values()];
  const kinds = Uint8Array.from(looks, ({ all, begin }) => {
    if (all.length === 1 && all[0] === assignmentDetector) return OF_NAMES;
    return begin ? BEGINS : 0;
  });
  return {
    index: indexKeywords([...byKeyword.keys()]),
    look: (scan, keyword, at) => {
      const kind = kinds[keyword];
      if (kind === OF_NAMES) return assignmentDetector(scan, at);
      if (kind === BEGINS && !canBeginAt(scan.text, at, false)) return;
      for (const look of looks[keyword]!.all) look(scan, at);
    },
  };
}
