/**
 * What stands in deploy/: the unit is held against systemd's own measure where that is installed, the container file is read line by
 * line. No engine runs here, so that the image itself is not built.
 */
import { spawnSync } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { describe, expect, it } from 'vitest';
import { parse } from 'yaml';

const root = fileURLToPath(new URL('../..', import.meta.url));
const UNIT = join(root, 'deploy/systemd/harness.service');
const unit = readFileSync(UNIT, 'utf8');
const guide = readFileSync(join(root, 'docs/guide/containment.md'), 'utf8');

const analyze = spawnSync('systemd-analyze', ['--version']);
const there = analyze.status === 0;
if (!there) console.warn('SKIPPED: systemd-analyze is not installed, the unit is not measured');

describe('deploy/systemd/harness.service', () => {
  const settings = new Map(
    unit
      .split('\n')
      .filter((line) => /^[A-Z]\w*=/.test(line))
      .map((line) => [line.slice(0, line.indexOf('=')), line.slice(line.indexOf('=') + 1)]),
  );

  it.skipIf(!there)('has the exposure that the guide names, and it is no more than 3', () => {
    const { stdout } = spawnSync('systemd-analyze', ['security', '--offline=yes', UNIT], {
      encoding: 'utf8',
    });
    const figure = /Overall exposure level for harness\.service: (\d+\.\d+)/.exec(stdout)?.[1];
    expect(Number(figure)).toBeLessThanOrEqual(3);
    // Another version of systemd weighs a little differently.
    const named = Number(/`systemd-analyze security` gives it\s+(\d+\.\d+)/.exec(guide)?.[1]);
    expect(Math.abs(named - Number(figure))).toBeLessThan(0.5);
  });

  it('takes all rights away, and leaves bubblewrap what it needs', () => {
    expect(settings.get('CapabilityBoundingSet')).toBe('');
    expect(settings.get('NoNewPrivileges')).toBe('yes');
    expect(settings.get('DynamicUser')).toBe('yes');
    expect(settings.get('ProtectSystem')).toBe('strict');
    for (const space of ['user', 'pid', 'net', 'mnt', 'ipc', 'uts'])
      expect(settings.get('RestrictNamespaces')).toContain(space);
    // They lay mounts over /proc, and a sandbox inside could not be made.
    for (const name of ['ProtectKernelTunables', 'ProtectKernelLogs', 'ProtectHostname', 'ProcSubset'])
      expect(settings.has(name)).toBe(false);
  });
});

describe('deploy/hub', () => {
  it.skipIf(!there).each(['harness-hub', 'harness-fleet'])(
    '%s.service is a unit that systemd reads without a complaint',
    (name) => {
      const folder = mkdtempSync(join(tmpdir(), 'harness-unit-'));
      const file = join(folder, `${name}.service`);
      // The command is not installed where the tests run.
      const text = readFileSync(join(root, `deploy/hub/${name}.service`), 'utf8');
      writeFileSync(file, text.replace('/usr/bin/harness', process.execPath));
      const { status, stderr } = spawnSync('systemd-analyze', ['verify', '--man=no', file], {
        encoding: 'utf8',
      });
      rmSync(folder, { recursive: true });
      expect({ status, complaints: stderr.split('\n').filter((line) => line.includes(name)) }).toEqual({
        status: 0,
        complaints: [],
      });
    },
  );
});

describe('deploy/hub in containers', () => {
  const read = (name: string) => readFileSync(join(root, 'deploy/hub', name), 'utf8');
  const { services, volumes } = parse(read('compose.yaml'), { merge: true }) as {
    services: Record<string, Record<string, unknown>>;
    volumes: Record<string, null>;
  };

  it('migrates before the first hub starts, and shows the hub only through the proxy in its network', () => {
    expect(services.hub!.depends_on).toEqual({ migrate: { condition: 'service_completed_successfully' } });
    expect(services.migrate!.depends_on).toEqual({ database: { condition: 'service_healthy' } });
    expect(services.hub!.environment).toEqual(services.migrate!.environment);
    expect(services.proxy!.network_mode).toBe('service:hub');
    expect(services.hub!.ports).toEqual(['443:443', '80:80']);
    expect(Object.keys(volumes)).toEqual(['database', 'certificates']);
  });

  it('runs the hub without rights on a root that is only read, with a password that stands in no file', () => {
    expect(services.hub).toMatchObject({ read_only: true, cap_drop: ['ALL'] });
    expect(read('compose.yaml')).toContain('${HUB_PASSWORD:?');
    // In an address `@` and `/` would end a password.
    const { HARNESS_HUB_DB: address, PGPASSWORD } = services.hub!.environment as Record<string, string>;
    expect([address, PGPASSWORD]).toEqual(['postgres://hub@database/harness', '${' + 'HUB_PASSWORD}']);
  });

  it('names commands and a driver that this package has, and hides what is for the inside', () => {
    const driver = JSON.parse(readFileSync(join(root, 'package.json'), 'utf8')).devDependencies.pg as string;
    expect(read('Containerfile')).toContain(`pg@${driver}`);
    expect(read('Containerfile')).toContain('CMD ["hub", "serve", "--port", "7077"]');
    expect(services.migrate!.command).toEqual(['hub', 'migrate']);
    expect(read('Caddyfile')).toContain('@inside path /v1/admin/* /metrics');
  });
});

describe('deploy/Containerfile', () => {
  const lines = readFileSync(join(root, 'deploy/Containerfile'), 'utf8')
    .replaceAll('\\\n', ' ')
    .split('\n')
    .filter((line) => line.trim() !== '' && !line.startsWith('#'))
    .map((line) => [line.slice(0, line.indexOf(' ')), line.slice(line.indexOf(' ') + 1)] as const);

  it('is made of known instructions, from the packed tarball, without scripts of packages', () => {
    const known = 'FROM ARG COPY RUN USER ENV VOLUME WORKDIR ENTRYPOINT CMD'.split(' ');
    expect(lines.map(([word]) => word).filter((word) => !known.includes(word))).toEqual([]);
    expect(lines.some(([word, rest]) => word === 'COPY' && rest.startsWith('${' + 'TARBALL}'))).toBe(true);
    expect(lines.some(([, rest]) => rest.includes('npm install') && rest.includes('--ignore-scripts'))).toBe(
      true,
    );
  });

  it('runs as a user without rights, and writes only to its volume', () => {
    const user = lines.findLast(([word]) => word === 'USER')?.[1];
    expect(user).toMatch(/^[1-9]\d*$/);
    const after = lines.slice(lines.findLastIndex(([word]) => word === 'USER') + 1).map(([word]) => word);
    expect(after).toEqual(['ENV', 'VOLUME', 'WORKDIR', 'ENTRYPOINT', 'CMD']);
    for (const [word, rest] of lines) if (word === 'ENTRYPOINT' || word === 'CMD') JSON.parse(rest);
  });
});
