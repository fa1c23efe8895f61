/**
 * What a policy certifies is what it decides by: every file is read once, whatever happens to it afterwards.
 */
import { mkdirSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { hookFile, tempProject } from '../../test/support/temp-project.ts';
import { sha256Hex } from '../base/sha256.ts';
import { PROJECT_READERS } from '../frontends/project.ts';
import type { ProjectReader } from '../frontends/project-reader.ts';
import { loadPolicyCopy, savePolicyCopy } from '../launcher/keep-policy.ts';
import { machineHost } from '../machine/host.ts';
import { findLayers } from './layers.ts';
import { type LoadedLayer, loadLayer, SharedLayers, vouchFor } from './loaded-layer.ts';
import { openPolicy } from './open-policy.ts';

const NONE = { managed: null, user: null };
const call = { id: '1', name: 'x', args: {} };

const block = (reason: string) => hookFile(`def handle(event, payload):\n    return block("${reason}")`);

/** A file for each front end, and what they name. */
const EVERY_KIND: Readonly<Record<string, string>> = {
  'harness.md': '---\nmodel: openai/gpt\n---\n',
  '.harness/hooks/guard.md': block('one'),
  '.harness/lib/paths.star': 'def inside(path):\n    return True\n',
  '.harness/data/teams.json': '{"a": 1}',
  '.harness/data/teams.schema.json': '{"type": "object"}',
  '.harness/data/README.txt': 'What the tables are for.',
  '.harness/settings.json': '{"hooks": {"PreToolUse": [{"path": "guard.sh"}]}}',
  'guard.sh': '#!/bin/sh\nexit 0\n',
  'agent.json': '{"name": "a"}',
  'harn.toml':
    '[[hooks]]\nevent = "PreToolUse"\nhandler = "star::gate"\n\n[[hooks]]\nevent = "PreToolUse"\nhandler = "code::gate"\n',
  'star.star': 'def gate(event):\n    return None\n',
  'code.mjs': 'export function gate() {}\n',
  '.harness/patterns.yaml': 'version: 1\n',
};

const PROGRAM = {
  '.harness/settings.json': EVERY_KIND['.harness/settings.json']!,
  'guard.sh': EVERY_KIND['guard.sh']!,
};

const DIGESTS = Object.fromEntries(
  Object.keys(EVERY_KIND).map((path) => [path, sha256Hex(EVERY_KIND[path]!)]),
);

/** The front ends; once the last of them has read, `act` happens. */
function readersThen(act: () => void): ProjectReader[] {
  let left = PROJECT_READERS.length;
  return PROJECT_READERS.map((reader) => ({
    ...reader,
    read: async (...from) => {
      const result = await reader.read(...from);
      if (--left === 0) act();
      return result;
    },
  }));
}

async function digestsWhen(act: (dir: string) => void): Promise<Record<string, string>> {
  const dir = tempProject(EVERY_KIND);
  const [layer] = findLayers(dir, NONE).layers;
  const vouch = vouchFor('all', { host: machineHost, places: NONE });
  const { project } = await loadLayer(
    layer!,
    readersThen(() => act(dir)),
    vouch,
  );
  return project.snapshot.digests(project.files);
}

const swapped = (path: string) => (dir: string) => writeFileSync(join(dir, path), 'something else\n');

const unreadable = (path: string) => (dir: string) => {
  rmSync(join(dir, path));
  mkdirSync(join(dir, path));
};

describe('the digest of a policy file', () => {
  it('is of its bytes, for every kind of file', async () => {
    expect(await digestsWhen(() => {})).toEqual(DIGESTS);
  });

  it.each(Object.keys(EVERY_KIND).filter((path) => !path.endsWith('README.txt')))(
    'is of the bytes that were read, if %s is replaced after that',
    async (path) => {
      expect(await digestsWhen(swapped(path))).toEqual(DIGESTS);
    },
  );

  it.each(Object.keys(EVERY_KIND).filter((path) => !path.endsWith('README.txt')))(
    'is of the bytes that were read, if %s cannot be read after that',
    async (path) => {
      expect(await digestsWhen(unreadable(path))).toEqual(DIGESTS);
    },
  );

  it('names no library that was not there when libraries were read', async () => {
    const late = '.harness/lib/late.star';
    let dir = '';
    const readers = PROJECT_READERS.map((reader) => ({
      ...reader,
      read: async (...from: Parameters<ProjectReader['read']>) => {
        writeFileSync(join(dir, late), 'x = 1\n');
        return reader.read(...from);
      },
    }));
    dir = tempProject(EVERY_KIND);
    const vouch = vouchFor('all', { host: machineHost, places: NONE });
    const { project } = await loadLayer(findLayers(dir, NONE).layers[0]!, readers, vouch);
    expect([...project.library!.files.keys()]).toEqual(['paths.star']);
    expect(project.files).not.toContain(late);
  });
});

describe('a policy whose files are replaced while it is opened', () => {
  const files = { '.harness/hooks/guard.md': block('one') };
  const loose = hookFile('def handle(event, payload):\n    return allow()');

  it('decides by the bytes that its digest names', async () => {
    const expected = (await openPolicy(tempProject(files), { places: NONE })).digest;
    const dir = tempProject(files);
    const replace = () => {
      writeFileSync(join(dir, '.harness/hooks/guard.md'), loose);
      return [];
    };
    const policy = await openPolicy(dir, { places: NONE, check: replace });
    expect((await policy.decide('tool.pre', call)).reason).toBe('one');
    expect(policy.digest).toEqual(expected);
  });

  it('names the same bytes if a rule about its own tools makes it read more files', async () => {
    const more = {
      ...files,
      '.harness/hooks/tools.md': hookFile(
        'def handle(event, payload):\n    return block("many") if len(policy.tools()) > 9 else allow()',
      ),
      '.harness/tools/list.md': '---\nscript: |\n  def run(args):\n    return ""\n---\nLists.\n',
    };
    class Replacing extends SharedLayers {
      override async get(_layer: unknown, load: () => Promise<LoadedLayer>): Promise<LoadedLayer> {
        const loaded = await load();
        writeFileSync(join(loaded.dir, '.harness/hooks/guard.md'), loose);
        return loaded;
      }
    }
    const expected = (await openPolicy(tempProject(more), { places: NONE })).digest;
    const policy = await openPolicy(tempProject(more), { places: NONE, shared: new Replacing() });
    expect(Object.keys(policy.digest.files)).toContain('.harness/tools/list.md');
    expect(policy.digest).toEqual(expected);
  });

  it.each([
    ['replaced', swapped],
    ['unreadable', unreadable],
  ])('goes on in its session by the bytes that were read, if a file is %s by then', async (_how, act) => {
    const dir = tempProject({ ...files, ...PROGRAM });
    const policy = await openPolicy(dir, { places: NONE, trust: 'all' });
    for (const path of ['.harness/hooks/guard.md', 'guard.sh']) act(path)(dir);
    const folder = tempProject();
    await savePolicyCopy(folder, policy, 'scratch');
    const kept = loadPolicyCopy(folder, policy.digest.digest)!;
    const again = await openPolicy(dir, { places: NONE, trust: 'all', kept });
    expect(again.digest).toEqual(policy.digest);
    expect((await again.decide('tool.pre', call)).reason).toBe('one');
  });

  it('calls no handler of a module that was replaced before it is loaded', async () => {
    const dir = tempProject({
      'harn.toml': '[[hooks]]\nevent = "PreToolUse"\nhandler = "code::gate"\n',
      'code.mjs': 'export function gate() { return { block: true, reason: "read" }; }\n',
    });
    const policy = await openPolicy(dir, { places: NONE, trust: 'all' });
    writeFileSync(join(dir, 'code.mjs'), 'globalThis.wasReplaced = true;\nexport function gate() {}\n');
    const { action, reason } = await policy.decide('tool.pre', call);
    expect(action).toBe('block');
    expect(reason).toContain('code.mjs has changed since the policy was opened');
    expect(globalThis).not.toHaveProperty('wasReplaced');
  });

  it('calls no handler of a module that is replaced while it is loaded', async () => {
    const dir = tempProject({
      'harn.toml': '[[hooks]]\nevent = "PreToolUse"\nhandler = "code::gate"\n',
    });
    const file = JSON.stringify(join(dir, 'code.mjs'));
    writeFileSync(
      join(dir, 'code.mjs'),
      `import { writeFileSync } from 'node:fs';\nwriteFileSync(${file}, '');\nexport function gate() {}\n`,
    );
    const policy = await openPolicy(dir, { places: NONE, trust: 'all' });
    expect(await policy.decide('tool.pre', call)).toMatchObject({ action: 'block' });
  });
});
