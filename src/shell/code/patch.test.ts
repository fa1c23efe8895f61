/** Which files a patch is taken to change, by the form it is written in. */
import { describe, expect, it } from 'vitest';
import { patchNames } from './patch.ts';

const namesOf = (text: string) => [...patchNames(text, { strip: null, loose: false }).paths];

describe('the names of a patch', () => {
  it('in the form that agents write are whole: a file of that name in another folder is another', () => {
    const text = '*** Begin Patch\n*** Update File: docs/harness.md\n*** Move to: docs/other.md\n';
    expect(namesOf(text)).toEqual(expect.arrayContaining(['docs/harness.md', 'docs/other.md']));
    expect(namesOf(text)).not.toContain('harness.md');
  });

  it('in the form of diff count with and without their first folder, which git leaves out', () => {
    expect(namesOf('--- a/harness.md\n+++ b/harness.md\n')).toEqual([
      'a/harness.md',
      'harness.md',
      'b/harness.md',
    ]);
  });
});
