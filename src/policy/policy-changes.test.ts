import { describe, expect, it } from 'vitest';
import { type PolicyDigest, policyChanges } from './policy-digest.ts';

const digestWith = (packs: unknown): PolicyDigest =>
  ({ digest: 'x', files: {}, hooks: [], layers: [], settings: { packs } }) as unknown as PolicyDigest;
const [one, other] = ['a'.repeat(64), 'b'.repeat(64)];

describe('what a replay says of another policy', () => {
  it('names the packs that differ, each on its line and without digests', () => {
    const before = digestWith([`project core ${one}`, `project git ${one}`, `project cloud ${one}`]);
    const after = digestWith([`project core ${other}`, `project git ${one}`, `project new ${one}`]);
    expect(policyChanges(before, after)).toEqual([
      'packs: project cloud is gone',
      'packs: project new is new',
      'packs: project core has changed',
    ]);
  });

  it('says nothing of lists that are the same, and that all is gone where there is none any more', () => {
    const before = digestWith([`project core ${one}`]);
    expect(policyChanges(before, digestWith([`project core ${one}`]))).toEqual([]);
    expect(policyChanges(before, digestWith(undefined))).toEqual(['packs: project core is gone']);
  });
});
