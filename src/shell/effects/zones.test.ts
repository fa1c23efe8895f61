import { describe, expect, it } from 'vitest';
import { inZone, type RunLocation, UNKNOWN_LOCATION, zoneOf } from './zones.ts';

const HERE: RunLocation = { cwd: '/home/ada/app/src', workspaces: ['/home/ada/app'], home: '/home/ada' };

describe('zones of paths', () => {
  it.each([
    ['src/a.ts', 'workspace'],
    ['./a', 'workspace'],
    ['node_modules/x/y', 'generated'],
    ['a.log', 'generated'],
    ['public/packs/a.js', 'generated'],
    ['priv/static/assets', 'generated'],
    ['public/assets/logo.svg', 'workspace'],
    ['../x', 'unknown'],
    ['$X/y', 'unknown'],
    ['/tmp/x', 'temporary'],
    [`\${TMPDIR}/x`, 'temporary'],
    [`\${TMPDIR}/../etc/x`, 'unknown'],
    ['~', 'home'],
    ['~/*', 'home'],
    ['~/Documents/a', 'home.documents'],
    ['~/.ssh/id_rsa', 'home.credentials'],
    ['~/.aws/credentials', 'home.credentials'],
    ['~/.bashrc', 'home.shell-profile'],
    ['~/.ssh/authorized_keys', 'home.shell-profile'],
    ['~/.claude/settings.json', 'home.agent-memory'],
    ['~/.cache/pip', 'generated'],
    ['~/src/app/node_modules', 'generated'],
    ['/home/eve/x', 'home'],
    ['/etc/hosts', 'system.config'],
    ['/usr/bin/ls', 'system.programs'],
    ['/var/log/syslog', 'system.logs'],
    ['/dev/sda', 'system.devices'],
    ['/', 'system'],
    ['/mnt/disk/x', 'unknown'],
    ['host:/srv/x', 'unknown'],
  ])('put %s into %s', (path, zone) => {
    expect(zoneOf(path, UNKNOWN_LOCATION)).toBe(zone);
  });

  it.each([
    ['../../other/x', 'home'],
    ['../lib/x', 'workspace'],
    ['/home/ada/app/dist/x', 'generated'],
    ['/home/ada/app', 'workspace'],
    ['/home/eve/x', 'other-users'],
    ['/root/x', 'other-users'],
    ['/home/ada/.netrc', 'home.credentials'],
  ])('put %s into %s where the command runs', (path, zone) => {
    expect(zoneOf(path, HERE)).toBe(zone);
  });

  it('cover what stands below them, and nothing that only begins like them', () => {
    expect(inZone('home.credentials', ['home'])).toBe(true);
    expect(inZone('home', ['home.credentials'])).toBe(false);
    expect(inZone('system.logs', ['home', 'system'])).toBe(true);
  });
});
