/**
 * Holds a floor under how well secrets are told from ordinary text. The half that is set aside is only counted here: what is
 * wrong in it is never shown, so that rules cannot be written for it.
 */
import { dirname } from 'node:path';
import { fileURLToPath } from 'node:url';
import { describe, expect, it } from 'vitest';
import { findSecrets } from '../../src/secrets/secrets.ts';
import { everydayLines, nearMisses, secretCases } from './corpus.ts';
import { personalScore, type Share, score } from './score.ts';

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

  it('score for numbers that name a person, which are found only where that is asked for', () => {
    const { gone, changed, wrong } = personalScore(FOLDER);
    expect(wrong).toEqual([]);
    expect([gone.all, changed.all]).toEqual([40, 64]);
    expect([share(gone), share(changed)]).toEqual([1, 0]);
    const everyday = everydayLines(FOLDER).filter(({ half }) => half === 'shown');
    const found = everyday.filter(({ text }) => findSecrets(text, { personal: true }).length > 0);
    expect(found.length / everyday.length).toBeLessThanOrEqual(0.001);
    expect(findSecrets('card 4242 4242 4242 4242')).toEqual([]);
  });
});
