import { expect, it } from 'vitest';
import { EFFECT_PHRASES } from '../shell/index.ts';
import { inConditional } from './would.ts';

it.each([
  [
    ['Deletes ~/Documents and everything in it.', 'Runs as root.'],
    'Would delete ~/Documents and everything in it. Would run as root.',
  ],
  [['Switches the machine off.'], 'Would switch the machine off.'],
  [['Empties the table users.'], 'Would empty the table users.'],
  [['Possibly deletes cluster and prod.'], 'Would possibly delete cluster and prod.'],
  [['Does not check who it talks to.'], 'Would not check who it talks to.'],
  [['Erases the disk /dev/sda.'], 'Would erase the disk /dev/sda.'],
  [[], ''],
])('a stopped call is described by what it would have done: %j', (sentences, text) => {
  expect(inConditional(sentences)).toBe(text);
});

it('every phrase about an effect has a conditional form without the third person', () => {
  const phrases = Object.values(EFFECT_PHRASES).flatMap((verbs) => Object.values(verbs ?? {}));
  expect(phrases.length).toBeGreaterThan(40);
  for (const phrase of phrases)
    expect(inConditional([`${phrase}.`])).toMatch(/^Would (?:not )?[a-z]*(?:[^s]|ss)\b/);
});
