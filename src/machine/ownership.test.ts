import { execFileSync } from 'node:child_process';
import { chmodSync, mkdtempSync, rmSync, statSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, describe, expect, it } from 'vitest';
import { ownedByMe, ownedByMeOrRoot, ownershipProblem, readOwnFile } from './ownership.ts';

const folder = mkdtempSync(join(tmpdir(), 'harness-ownership-'));
afterAll(() => rmSync(folder, { recursive: true, force: true }));

function file(mode: number, text = 'text'): string {
  const path = join(folder, `file-${mode.toString(8)}`);
  writeFileSync(path, text);
  chmodSync(path, mode);
  return path;
}

const mine = process.getuid!();
const STRANGER = 54321;

describe('ownership', () => {
  it('a file belongs to this user, or as good as that to root, and to no other user', () => {
    expect([mine, 0, STRANGER].map((uid) => ownedByMeOrRoot({ uid }))).toEqual([true, true, false]);
    expect([mine, STRANGER].map((uid) => ownedByMe({ uid }))).toEqual([true, false]);
    expect(ownershipProblem({ uid: STRANGER, mode: 0o600 }, 'unwritable')).toBe('belongs to user 54321');
  });

  it.each([
    [0o600, null, null],
    [0o644, 'is open to others', null],
    [0o620, 'is open to others', 'can be written by others'],
    [0o602, 'is open to others', 'can be written by others'],
  ])('mode %o: private %s, unwritable %s', (mode, isPrivate, unwritable) => {
    const stats = statSync(file(mode));
    expect(ownershipProblem(stats, 'private')).toBe(isPrivate);
    expect(ownershipProblem(stats, 'unwritable')).toBe(unwritable);
  });

  it('a file of this user is read; one that others can write, a link, a named pipe and a large file are not', () => {
    expect(readOwnFile(file(0o644), 4, 'unwritable')).toBe('text');
    expect(() => readOwnFile(file(0o644), 4, 'private')).toThrow('is open to others');
    expect(() => readOwnFile(file(0o666), 4, 'unwritable')).toThrow('can be written by others');
    expect(() => readOwnFile(file(0o600), 3, 'private')).toThrow('larger than 3 bytes');
    const link = join(folder, 'link');
    symlinkSync(file(0o600), link);
    expect(() => readOwnFile(link, 4, 'private')).toThrow('ELOOP');
    const pipe = join(folder, 'pipe');
    execFileSync('mkfifo', ['-m', '600', pipe]);
    expect(() => readOwnFile(pipe, 4, 'private')).toThrow('is no file');
  });
});
