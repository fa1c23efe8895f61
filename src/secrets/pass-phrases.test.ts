/** Passwords of several words, beside a name that says so. */
import { describe, expect, it } from 'vitest';
import { redactSecrets } from './secrets.ts';

const isGone = (text: string) => redactSecrets(text).found.length > 0;

describe('a password of several words', () => {
  it.each([
    'password: "correct horse battery staple"',
    'DB_PASSWORD="Winter Garden 1987"',
    "passwd: 'seven brown foxes jump high'",
    '{"password": "lamp 42 monkey river"}',
    'password = "orange kettle 7 bicycle"',
  ])('is taken out where it stands in quotes: %s', (text) => {
    expect(isGone(text)).toBe(true);
  });

  it.each([
    'password: "must have at least 8 characters"',
    '"password": "Enter your password"',
    'password: "Password reset mail sent"',
    'label_password = "Repeat the new one"',
    "password: 'wrong or expired 3 times'",
    'password: correct horse battery staple is a famous phrase',
    'password: "see chapter 4 section 2"',
  ])('is none where it is said of passwords, or is prose: %s', (text) => {
    expect(isGone(text)).toBe(false);
  });
});
