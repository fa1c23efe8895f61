/**
 * Holds a floor under how well secrets are told from ordinary text. The half that is set aside is only counted here: what is
 * wrong in it is never shown, so that rules cannot be written for it.
 */
import { dirname } from 'node:path';
import { fileURLToPath } from 'node:url';
import { describe, expect, it } from 'vitest';
import { everydayLines, nearMisses, secretCases } from './corpus.ts';
import { type Share, score } from './score.ts';

const FOLDER = dirname(fileURLToPath(import.meta.url));
const share = ({ hits, all }: Share) => hits / all;

describe('the texts with and without secrets', () => {
  it('are enough to say something', () => {
    expect(secretCases(FOLDER).length).toBeGreaterThanOrEqual(300);
    expect(everydayLines(FOLDER).length).toBeGreaterThanOrEqual(1000);
    expect(nearMisses(FOLDER).length).toBeGreaterThanOrEqual(200);
  });

  it('hold no secret twice', () => {
    const secrets = secretCases(FOLDER).flatMap((one) => one.secrets);
    expect(new Set(secrets).size).toBe(secrets.length);
  });

  it('score in the half that rules are written against', () => {
    const { secretsGone, everydayChanged, nearMissesChanged, wrong } = score(FOLDER, 'shown');
    expect(wrong).toEqual([]);
    expect([share(secretsGone), share(everydayChanged), share(nearMissesChanged)]).toEqual([1, 0, 0]);
  });

  it('score in the half that is set aside', () => {
    const { secretsGone, everydayChanged, nearMissesChanged } = score(FOLDER, 'set aside');
    expect(share(secretsGone)).toBeGreaterThanOrEqual(0.95);
    expect(share(everydayChanged)).toBeLessThanOrEqual(0.001);
    expect(share(nearMissesChanged)).toBeLessThanOrEqual(0.07);
  });
});
