/** Leaving a fleet clears every mark it left, and joining never leaves a mark behind that would block each call for good. */
import { existsSync, mkdirSync, mkdtempSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { describe, expect, it, onTestFinished } from 'vitest';
import { leaveFleet, markedPlaces, orphanedMark } from '../../src/fleet/index.ts';
import type { FleetPlace } from '../../src/policy/index.ts';

const HUB = 'https://hub.example';
const ROOT = 'a'.repeat(64);

function machine() {
  const home = mkdtempSync(join(tmpdir(), 'harness-leave-'));
  onTestFinished(() => rmSync(home, { recursive: true }));
  const host = { env: (name: string) => (name === 'HOME' ? home : undefined) };
  const fleet = join(home, '.local/state/harness/fleet');
  const [user] = markedPlaces(host, false) as [FleetPlace];
  const managed = { marker: join(home, 'etc/fleet.json'), folder: join(home, 'var/fleet') };
  const write = (path: string, text: string) => {
    mkdirSync(dirname(path), { recursive: true, mode: 0o700 });
    writeFileSync(path, text);
  };
  const mark = (place: FleetPlace) => {
    write(place.marker, JSON.stringify({ hub: HUB, root: ROOT, version: 3 }));
    write(join(place.folder, 'current.json'), '{}');
  };
  const enrol = (text = JSON.stringify({ hub: HUB, machine: 'm1', name: 'box' })) =>
    write(join(fleet, 'machine.json'), text);
  return { host, fleet, user, managed, mark, enrol };
}

const gone = (...paths: string[]) => paths.filter((path) => existsSync(path));

describe('leaving a fleet', () => {
  it('removes the enrolment, the policy and the marks of both places', () => {
    const { host, fleet, user, managed, mark, enrol } = machine();
    enrol();
    for (const place of [user, managed]) mark(place);
    expect(leaveFleet(host, [managed, user])).toEqual({ hub: HUB, machine: 'm1' });
    expect(gone(fleet, user.marker, user.folder, managed.marker, managed.folder)).toEqual([]);
    expect(leaveFleet(host, [managed, user])).toEqual({ hub: null, machine: null });
  });

  it.each([
    ['machine.json is damaged', '{'],
    ['machine.json lacks the hub', '{}'],
  ])('works where %s: the marks go, and the hub is known from them', (_, text) => {
    const { host, fleet, user, mark, enrol } = machine();
    enrol(text);
    mark(user);
    expect(leaveFleet(host, [user])).toEqual({ hub: HUB, machine: null });
    expect(gone(fleet, user.marker)).toEqual([]);
  });

  it('clears the mark of every user where the folder with the enrolment is gone', () => {
    const { host, managed, user, mark } = machine();
    mark(managed);
    expect(leaveFleet(host, [managed, user])).toEqual({ hub: HUB, machine: null });
    expect(gone(managed.marker, managed.folder)).toEqual([]);
  });

  it('removes a mark that is a link to nowhere, which blocks like any other', () => {
    const { host, user } = machine();
    mkdirSync(dirname(user.marker), { recursive: true });
    symlinkSync('/nowhere/fleet.json', user.marker);
    expect(orphanedMark([user], null)).toBe(user);
    expect(leaveFleet(host, [user])).toEqual({ hub: 'its hub', machine: null });
    expect(orphanedMark([user], null)).toBeNull();
  });
});

describe('joining a fleet again', () => {
  const joined = (managed: boolean, root = ROOT) => ({ root, managed });

  it('goes on from a mark of the same root, in the place that the machine joins for', () => {
    const { managed, user, mark } = machine();
    mark(user);
    expect(orphanedMark([user], joined(false))).toBeNull();
    expect(orphanedMark([managed, user], joined(false))).toBeNull();
    rmSync(user.marker);
    mark(managed);
    expect(orphanedMark([managed, user], joined(true))).toBeNull();
  });

  it('is refused without a root, with another root, and for another place', () => {
    const { managed, user, mark } = machine();
    mark(user);
    expect(orphanedMark([user], null)).toBe(user);
    expect(orphanedMark([user], joined(false, 'b'.repeat(64)))).toBe(user);
    expect(orphanedMark([managed, user], joined(true))).toBe(user);
    rmSync(user.marker);
    mark(managed);
    expect(orphanedMark([managed, user], joined(false))).toBe(managed);
  });

  it('is free on a machine without a mark', () => {
    const { managed, user } = machine();
    for (const policy of [null, joined(false), joined(true)])
      expect(orphanedMark([managed, user], policy)).toBeNull();
  });
});
