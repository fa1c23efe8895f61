/** The colours of the page: every role of text can be read on every ground it stands on, in both schemes. */
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';

const text = readFileSync(join(import.meta.dirname, '../web/colours.css'), 'utf8');
const [light = '', dark = ''] = text.split('@media (prefers-color-scheme: dark)');
const SCHEMES = { light, dark };
const VERDICTS = ['block', 'ask', 'modify', 'allow'];

function colour(scheme: string, role: string): readonly number[] {
  const [, hex] = new RegExp(`--${role}: #([0-9a-f]{6});`).exec(scheme) ?? [];
  if (hex === undefined) throw new Error(`web/colours.css has no --${role}`);
  return [0, 2, 4].map((at) => Number.parseInt(hex.slice(at, at + 2), 16) / 255);
}

function luminance(channels: readonly number[]): number {
  const [r = 0, g = 0, b = 0] = channels.map((c) =>
    c <= 0.04045 ? c / 12.92 : ((c + 0.055) / 1.055) ** 2.4,
  );
  return 0.2126 * r + 0.7152 * g + 0.0722 * b;
}

function contrast(scheme: string, one: string, two: string): number {
  const [less = 0, more = 0] = [one, two]
    .map((role) => luminance(colour(scheme, role)))
    .sort((a, b) => a - b);
  return (more + 0.05) / (less + 0.05);
}

const PAIRS = [
  ...['ink', 'quiet', 'link', 'user', ...VERDICTS].flatMap((role) =>
    ['paper', 'raised', 'sunken', 'here'].map((ground) => [role, ground] as const),
  ),
  ...VERDICTS.flatMap((role) => [role, 'ink', 'quiet'].map((each) => [each, `${role}-soft`] as const)),
  ['on-accent', 'accent'] as const,
];

test.each(Object.entries(SCHEMES))(
  'in the %s scheme every text reads at 4.5:1 on its ground',
  (_name, scheme) => {
    const weak = PAIRS.map(([role, ground]) => ({
      role,
      ground,
      ratio: contrast(scheme, role, ground),
    })).filter(({ ratio }) => ratio < 4.5);
    expect(weak).toEqual([]);
  },
);

test.each(Object.entries(SCHEMES))(
  'in the %s scheme the focus ring and borders of controls read at 3:1',
  (_name, scheme) => {
    for (const role of ['focus', 'line-strong'])
      for (const ground of ['paper', 'raised'])
        expect(contrast(scheme, role, ground)).toBeGreaterThanOrEqual(3);
  },
);
