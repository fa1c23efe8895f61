/**
 * The door of S7, its second half: a tape that somebody edits, writes anew or takes away is found. A chain shows edits, a
 * signature shows a chain that was made anew without the key, a checkpoint shows a tape that is gone.
 */
import {
  copyFileSync,
  existsSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  renameSync,
  rmSync,
  writeFileSync,
} from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { harness } from './harness.ts';
import { type Repository, repository } from './repository.ts';
import { forge } from './tapes.ts';

const FILES = {
  '.harness/hooks/a.md':
    '---\nevent: tool.pre\npriority: 1\nscript: |\n  def handle(event, payload):\n      return block("no " + payload["args"].get("text", ""))\n---\n',
  '.harness/tools/say.md': '---\nscript: |\n  def run(args):\n      return "x"\n---\n\nSays.\n',
  'story.yaml':
    'completions:\n  - tool_calls: [{name: say, args: {text: "a word that passed through"}}]\n  - text: Done.\n',
};

const as = (repo: Repository, ...args: string[]) =>
  harness(args, { cwd: repo.dir, env: { HOME: repo.home } });
const record = (repo: Repository, tape: string, ...more: string[]) =>
  as(repo, 'run', '--script', 'story.yaml', '--prompt', 'x', '--tape', tape, ...more);

async function signed(): Promise<Repository> {
  const repo = repository(FILES);
  await as(repo, 'tape', 'keygen', 'key');
  expect((await record(repo, 'runs/a.jsonl', '--sign', 'key')).code).toBe(0);
  return repo;
}

describe('a signed tape', () => {
  it('is proven by the public key', async () => {
    const repo = await signed();
    const { code, stdout } = await as(repo, 'tape', 'verify', 'runs/a.jsonl', '--key', 'key.pub');
    expect([code, stdout]).toEqual([0, expect.stringContaining('with your key')]);
  });

  it('written anew without the key is found, with and without the old signature', async () => {
    const repo = await signed();
    const file = join(repo.dir, 'runs/a.jsonl');
    forge(file, '"block"', '"allow"');
    expect((await as(repo, 'tape', 'verify', 'runs/a.jsonl')).code).toBe(1);
    rmSync(`${file}.sig`);
    // The chain alone is whole again, as it must be: this is what the key is for.
    expect((await as(repo, 'tape', 'verify', 'runs/a.jsonl')).code).toBe(0);
    const { code, stdout } = await as(repo, 'tape', 'verify', 'runs/a.jsonl', '--key', 'key.pub');
    expect([code, stdout]).toEqual([1, expect.stringContaining('unsigned')]);
  });

  it('signed with another key is found', async () => {
    const repo = await signed();
    await as(repo, 'tape', 'keygen', 'other');
    const { code, stdout } = await as(repo, 'tape', 'verify', 'runs/a.jsonl', '--key', 'other.pub');
    expect([code, stdout]).toEqual([1, expect.stringContaining('signed with another key')]);
  });

  it('with a signature from another tape is found', async () => {
    const repo = await signed();
    await record(repo, 'runs/b.jsonl', '--sign', 'key');
    copyFileSync(join(repo.dir, 'runs/a.jsonl.sig'), join(repo.dir, 'runs/b.jsonl.sig'));
    expect((await as(repo, 'tape', 'verify', 'runs/b.jsonl', '--key', 'key.pub')).code).toBe(1);
  });

  it('is made by the key that the user names, and by no key that a project names', async () => {
    const repo = repository({ ...FILES, 'harness.md': '---\ntape: {key: theirs}\n---\n' });
    const user = join(repo.home, '.config/harness');
    mkdirSync(user, { recursive: true });
    await as(repo, 'tape', 'keygen', join(user, 'mine'));
    await as(repo, 'tape', 'keygen', 'theirs');
    await record(repo, 'runs/none.jsonl');
    expect(existsSync(join(repo.dir, 'runs/none.jsonl.sig'))).toBe(false);
    writeFileSync(join(user, 'harness.md'), '---\ntape: {key: mine}\n---\n');
    await record(repo, 'runs/a.jsonl');
    const { code } = await as(repo, 'tape', 'verify', 'runs/a.jsonl', '--key', join(user, 'mine.pub'));
    expect(code).toBe(0);
  });

  it('is not begun with a key that cannot be read', async () => {
    const repo = repository(FILES);
    expect((await record(repo, 'runs/a.jsonl', '--sign', 'nosuch')).code).not.toBe(0);
    expect(existsSync(join(repo.dir, 'runs/a.jsonl'))).toBe(false);
  });
});

describe('a tape without a signature', () => {
  it('is unsigned, not broken', async () => {
    const repo = repository(FILES);
    await as(repo, 'tape', 'keygen', 'key');
    await record(repo, 'runs/a.jsonl');
    const { code, stdout } = await as(repo, 'tape', 'verify', 'runs/a.jsonl', '--key', 'key.pub');
    expect(code).toBe(1);
    expect(stdout).toMatch(/^unsigned/);
    expect(stdout).not.toContain('broken');
    const json = await as(repo, 'tape', 'verify', 'runs/a.jsonl', '--key', 'key.pub', '--json');
    expect(JSON.parse(json.stdout)).toMatchObject({
      ok: false,
      firstBroken: null,
      unsigned: true,
      signature: null,
    });
  });
});

describe('a checkpoint', () => {
  const verify = (repo: Repository) =>
    as(repo, 'tape', 'verify', 'runs', '--checkpoint', '../home/checkpoint.json');

  async function kept(): Promise<Repository> {
    const repo = repository(FILES);
    for (const name of ['a', 'b']) await record(repo, `runs/${name}.jsonl`);
    expect((await verify(repo)).code).toBe(0);
    expect((await verify(repo)).code).toBe(0);
    return repo;
  }

  it('shows a tape that is gone', async () => {
    const repo = await kept();
    rmSync(join(repo.dir, 'runs/a.jsonl'));
    const { code, stdout } = await verify(repo);
    expect([code, stdout]).toEqual([1, expect.stringContaining('the tape is gone')]);
    // It does not forget what it has not found.
    expect((await verify(repo)).code).toBe(1);
  });

  it('shows a tape that was written anew, though its chain is whole', async () => {
    const repo = await kept();
    forge(join(repo.dir, 'runs/a.jsonl'), '"block"', '"allow"');
    const { code, stdout } = await verify(repo);
    expect([code, stdout]).toEqual([1, expect.stringContaining('was written anew')]);
  });

  it('shows signed tapes that changed places together with their signatures', async () => {
    const repo = await signed();
    await record(repo, 'runs/b.jsonl', '--sign', 'key');
    expect((await verify(repo)).code).toBe(0);
    const at = (name: string) => join(repo.dir, 'runs', name);
    for (const ending of ['', '.sig']) {
      renameSync(at(`a.jsonl${ending}`), at('kept'));
      renameSync(at(`b.jsonl${ending}`), at(`a.jsonl${ending}`));
      renameSync(at('kept'), at(`b.jsonl${ending}`));
    }
    expect((await verify(repo)).code).toBe(1);
  });

  it('lets tapes be added', async () => {
    const repo = await kept();
    await record(repo, 'runs/c.jsonl');
    expect((await verify(repo)).code).toBe(0);
    expect(
      Object.keys(JSON.parse(readFileSync(join(repo.home, 'checkpoint.json'), 'utf8')).tapes),
    ).toHaveLength(3);
  });
});

describe('tape.payloads', () => {
  const WORD = 'a word that passed through';
  const text = (repo: Repository) => readFileSync(join(repo.dir, 'runs/a.jsonl'), 'utf8');

  it('redacted, the default, keeps payloads and replays them', async () => {
    const repo = repository(FILES);
    await record(repo, 'runs/a.jsonl');
    expect(text(repo)).toContain(WORD);
    const { code } = await as(repo, 'replay', 'runs/a.jsonl', '--dir', '.');
    expect(code).toBe(0);
  });

  it('digest keeps none, in tape and transcript, and replay says that it cannot', async () => {
    const quiet = FILES['.harness/hooks/a.md'].replace('"no " + payload["args"].get("text", "")', '"no"');
    const repo = repository({
      ...FILES,
      '.harness/hooks/a.md': quiet,
      'harness.md': '---\ntape: {payloads: digest}\n---\n',
    });
    await record(repo, 'runs/a.jsonl');
    expect(text(repo)).not.toContain(WORD);
    const transcripts = join(repo.dir, '.harness/transcripts');
    for (const name of readdirSync(transcripts))
      expect(readFileSync(join(transcripts, name), 'utf8')).not.toContain(WORD);
    expect((await as(repo, 'tape', 'verify', 'runs/a.jsonl')).code).toBe(0);
    const { stdout } = await as(repo, 'replay', 'runs/a.jsonl', '--dir', '.', '--json');
    const { differences, notReplayable } = JSON.parse(stdout) as {
      differences: unknown[];
      notReplayable: { reason: string }[];
    };
    expect(differences).toEqual([]);
    expect(notReplayable.length).toBeGreaterThan(0);
    expect(notReplayable[0]!.reason).toContain('redacted (payload)');
  });

  it('full keeps secrets, and is not for a project to choose', async () => {
    const secret = `ghp_${'a1B2c3D4e5'.repeat(4).slice(0, 36)}`;
    const story = FILES['story.yaml'].replace(WORD, secret);
    const repo = repository({
      ...FILES,
      'story.yaml': story,
      'harness.md': '---\ntape: {payloads: full}\n---\n',
    });
    await record(repo, 'runs/a.jsonl');
    expect(text(repo)).not.toContain(secret);
    const user = join(repo.home, '.config/harness');
    mkdirSync(user, { recursive: true });
    writeFileSync(join(user, 'harness.md'), '---\ntape: {payloads: full}\n---\n');
    rmSync(join(repo.dir, 'runs'), { recursive: true });
    await record(repo, 'runs/a.jsonl');
    expect(text(repo)).toContain(secret);
  });
});
