/**
 * How well secrets are told from ordinary text, over the texts of this folder: of the secrets how many are gone, of the
 * other lines how many are changed.
 */
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { findSecrets, redactSecrets } from '../../src/secrets/secrets.ts';
import { everydayLines, type Half, nearMisses, type PlainCase, secretCases } from './corpus.ts';

export interface Share {
  readonly hits: number;
  readonly all: number;
}

export interface Score {
  readonly secretsGone: Share;
  readonly everydayChanged: Share;
  readonly nearMissesChanged: Share;
  /** What was missed and what was changed wrongly, to be looked at in the shown half only. */
  readonly wrong: readonly string[];
}

export function score(folder: string, half: Half): Score {
  const wrong: string[] = [];
  let [gone, secrets] = [0, 0];
  for (const { name, text, secrets: held } of secretCases(folder).filter((one) => one.half === half)) {
    const shown = redactSecrets(text).text;
    for (const secret of held) {
      secrets++;
      if (isGone(secret, shown)) gone++;
      else wrong.push(`missed in ${name}: ${shown}`);
    }
  }
  const changed = (cases: readonly PlainCase[], what: string): Share => {
    const these = cases.filter((one) => one.half === half);
    const hits = these.filter(({ text }) => {
      const { found } = redactSecrets(text);
      if (found.length === 0) return false;
      const [{ rule, start, end }] = found as readonly [(typeof found)[0]];
      wrong.push(
        `${what} changed by ${rule}: ${text.slice(0, start)}«${text.slice(start, end)}»${text.slice(end)}`,
      );
      return true;
    });
    return { hits: hits.length, all: these.length };
  };
  return {
    secretsGone: { hits: gone, all: secrets },
    everydayChanged: changed(everydayLines(folder), 'everyday line'),
    nearMissesChanged: changed(nearMisses(folder), 'near miss'),
    wrong,
  };
}

/** The same of numbers that name a person, which are looked for only where somebody says so. */
export function personalScore(
  folder: string,
): Pick<Score, 'wrong'> & { readonly gone: Share; readonly changed: Share } {
  const wrong: string[] = [];
  const lines = readFileSync(join(folder, 'personal.txt'), 'utf8').split('\n');
  const parted = (sign: string) =>
    lines.filter((line) => line.startsWith(`${sign} `)).map((line) => line.slice(2));
  const [gone, changed] = [
    { hits: 0, all: 0 },
    { hits: 0, all: 0 },
  ];
  for (const line of parted('+')) {
    const text = line.replace(/[«»]/g, '');
    const shown = redactSecrets(text, { personal: true }).text;
    for (const [, number] of line.matchAll(/«([^»]+)»/g)) {
      gone.all++;
      if (!shown.includes(number!)) gone.hits++;
      else wrong.push(`missed: ${shown}`);
    }
  }
  for (const text of parted('-')) {
    changed.all++;
    const [first] = findSecrets(text, { personal: true });
    if (first === undefined) continue;
    changed.hits++;
    wrong.push(`changed by ${first.rule}: ${text}`);
  }
  return { gone, changed, wrong };
}

/** A key over several lines is gone when each of its lines is. */
function isGone(secret: string, shown: string): boolean {
  if (shown.includes(secret)) return false;
  const lines = secret.split(/\n|\\n/).filter((line) => line.trim().length >= 16 && !line.includes('-----'));
  return lines.every((line) => !shown.includes(line.trim()));
}
