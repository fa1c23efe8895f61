import { describe, expect, it } from 'vitest';
import { denialText, repeatedDenial, type ShownDenials, STAYS_OPEN } from './repeated-denial.ts';

describe('a denial that is shown again', () => {
  it('says so, and the first time it does not', () => {
    expect(repeatedDenial('No.', 0)).toBe('No.');
    expect(repeatedDenial('No.', 2)).toMatch(/^No\. \(This was refused 2 times before/);
  });

  it('does not say so of a question that is still open: after a yes the same call passes', () => {
    expect(repeatedDenial(`Asked (${STAYS_OPEN})`, 3)).toBe(`Asked (${STAYS_OPEN})`);
  });

  it('is counted by its reason, and reasons that a model makes up do not fill the memory', () => {
    const shown: ShownDenials = new Map();
    expect(denialText(shown, 'No.', 0)).toBe('No.');
    for (let i = 0; i < 2_000; i++) denialText(shown, `No ${i}`, 1);
    expect(shown.size).toBe(1_000);
    expect(denialText(shown, 'No.', 2)).toMatch(/refused once before/);
    expect(denialText(shown, 'No 1999', 2)).toBe('No 1999');
  });

  it('is not one if the model had not read the first when it made the second call', () => {
    const shown: ShownDenials = new Map();
    expect([denialText(shown, 'No.', 7), denialText(shown, 'No.', 7)]).toEqual(['No.', 'No.']);
    const again = [denialText(shown, 'No.', 8), denialText(shown, 'No.', 8)];
    expect(again[0]).toMatch(/refused once before/);
    expect(again[1]).toBe(again[0]);
  });
});
