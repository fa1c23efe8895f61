import {
  chmodSync,
  chownSync,
  existsSync,
  readdirSync,
  readFileSync,
  statSync,
  writeFileSync,
} from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { canRun } from '../../../test/support/needs.ts';
import { tempProject } from '../../../test/support/temp-project.ts';
import { openFolder } from '../../policy/state-folder.ts';
import { type Change, commitChanges, type PlanRequest, planChanges } from './change-files.ts';
import type { WantedFile } from './installer.ts';
import { markerOf } from './operation.ts';

const ENTRY = { command: `guard # ${markerOf('codex')}` };

function wanted(root: string, file: string): WantedFile {
  return {
    file: join(root, file),
    within: root,
    container: ['hooks'],
    operations: () => [{ kind: 'entry', path: ['hooks', 'Stop'], value: ENTRY }],
  };
}

function request(root: string, files: readonly string[], more: Partial<PlanRequest> = {}): PlanRequest {
  const records = join(root, 'state');
  expect(openFolder(records)).toBe(null);
  return {
    agent: 'codex',
    owner: 'codex --dir /p',
    files: files.map((file) => wanted(root, file)),
    install: true,
    followOut: false,
    records,
    ...more,
  };
}

function planned(made: PlanRequest): readonly Change[] {
  const plan = planChanges(made);
  if ('problems' in plan) throw new Error(plan.problems.map(({ message }) => message).join('\n'));
  return plan.changes;
}

describe('the changes of one installation', () => {
  it('clear away what an installation that was killed has left beside the file, and nothing of one at work', () => {
    const own = `.a.json.harness-${process.pid}-0`;
    const left = ['.a.json.harness-99999999-0', '.a.json.harness-99999998-3'];
    const others = [own, '.a.json.harness-notes', '.b.json.harness-99999999-0'];
    const root = tempProject(Object.fromEntries(['a.json', ...left, ...others].map((name) => [name, '{}'])));
    const made = request(root, ['a.json']);
    expect(commitChanges(planned(made), made.records)).toBeNull();
    expect(readdirSync(root).sort()).toEqual(['a.json', 'state', ...others].sort());
  });

  it('are put back if a later one cannot be made', () => {
    const root = tempProject({ 'a.json': '{"x": 1} // mine', 'c.json': '{}' });
    const made = request(root, ['a.json', 'new/folder/b.json', 'c.json']);
    const changes = planned(made);
    // Somebody writes to the last file after it was read.
    writeFileSync(join(root, 'c.json'), '{"theirs": true}');
    expect(commitChanges(changes, made.records)).toMatchObject({
      file: join(root, 'c.json'),
      message: expect.stringContaining('changed by somebody else'),
    });
    expect(readFileSync(join(root, 'a.json'), 'utf8')).toBe('{"x": 1} // mine');
    expect(readFileSync(join(root, 'c.json'), 'utf8')).toBe('{"theirs": true}');
    expect(existsSync(join(root, 'new'))).toBe(false);
    expect(readdirSync(made.records)).toEqual([]);
    expect(readdirSync(root).sort()).toEqual(['a.json', 'c.json', 'state']);
  });

  it('that take files away are put back too, with their modes', () => {
    const root = tempProject({ 'c.json': '{}' });
    const made = request(root, ['own/b.json', 'c.json']);
    expect(commitChanges(planned(made), made.records)).toBe(null);
    chmodSync(join(root, 'own/b.json'), 0o600);
    const installed = readFileSync(join(root, 'own/b.json'), 'utf8');
    const changes = planned({ ...made, install: false });
    writeFileSync(join(root, 'c.json'), '{"theirs": true}');
    expect(commitChanges(changes, made.records)).not.toBe(null);
    expect(readFileSync(join(root, 'own/b.json'), 'utf8')).toBe(installed);
    expect(statSync(join(root, 'own/b.json')).mode & 0o777).toBe(0o600);
  });

  it('keep mode and leave nothing beside the file', () => {
    const root = tempProject({ 'a.json': '{}' });
    chmodSync(join(root, 'a.json'), 0o604);
    const made = request(root, ['a.json']);
    expect(commitChanges(planned(made), made.records)).toBe(null);
    expect(statSync(join(root, 'a.json')).mode & 0o7777).toBe(0o604);
    expect(readdirSync(root).sort()).toEqual(['a.json', 'state']);
  });

  it.runIf(canRun(process.getuid?.() === 0, 'root, for files of somebody else'))('keep the owner', () => {
    const root = tempProject({ 'a.json': '{}' });
    chownSync(join(root, 'a.json'), 1234, 4321);
    const made = request(root, ['a.json']);
    expect(commitChanges(planned(made), made.records)).toBe(null);
    const { uid, gid } = statSync(join(root, 'a.json'));
    expect([uid, gid]).toEqual([1234, 4321]);
  });

  it('are not planned for what is not UTF-8, not a file, or too large', () => {
    const root = tempProject({
      'a.json': Uint8Array.of(0x7b, 0xff, 0x7d),
      'b.json/x': '',
      'c.json': ' '.repeat(5e6),
    });
    const plan = planChanges(request(root, ['a.json', 'b.json', 'c.json']));
    expect('problems' in plan && plan.problems.map(({ message }) => message)).toEqual([
      `${join(root, 'a.json')} cannot be read: it is not UTF-8 text`,
      `${join(root, 'b.json')} is not a file`,
      `${join(root, 'c.json')} is larger than 4194304 bytes`,
    ]);
  });
});
