/**
 * The door of S14: what we write never goes through a link that somebody has put in its way. A link is replaced, refused or
 * left alone; what it points at stays as it was.
 */
import {
  existsSync,
  lstatSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  renameSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { harness } from './harness.ts';
import { type Repository, repository } from './repository.ts';

const FILES = {
  '.harness/hooks/a.md':
    '---\nevent: tool.pre\npriority: 1\nscript: |\n  def handle(event, payload):\n      return allow()\n---\n',
  'story.yaml': 'completions:\n  - text: Done.\n',
};

/** A file of the person, outside the checkout, that nothing of ours may touch. */
function victim({ home }: Repository): string {
  const file = join(home, 'precious');
  writeFileSync(file, 'precious');
  return file;
}

const run = (repo: Repository, ...more: string[]) =>
  harness(['run', '--script', 'story.yaml', '--prompt', 'x', ...more], {
    cwd: repo.dir,
    env: { HOME: repo.home },
  });

const launch = (repo: Repository) =>
  harness(['hook', 'claude-code', 'PreToolUse', '--dir', repo.dir], {
    cwd: repo.dir,
    env: { HOME: repo.home },
    input: JSON.stringify({
      session_id: 'session',
      hook_event_name: 'PreToolUse',
      tool_name: 'Bash',
      tool_use_id: '1',
      tool_input: { command: 'ls' },
      cwd: repo.dir,
    }),
  });

const TRANSCRIPT = `${JSON.stringify({
  type: 'user',
  sessionId: 'one',
  cwd: '/x',
  timestamp: '2026-01-01T00:00:00.000Z',
  message: { role: 'user', content: 'hello' },
})}\n`;

describe('a link in the way of', () => {
  it('a tape: refused, and nothing runs', async () => {
    const repo = repository(FILES);
    const file = victim(repo);
    symlinkSync(file, join(repo.dir, 'run.jsonl'));
    const { code, stderr } = await run(repo, '--tape', 'run.jsonl');
    expect([code, readFileSync(file, 'utf8')]).toEqual([2, 'precious']);
    expect(stderr).toContain('is a link');
  });

  it('a tape that is not there yet: refused, and nothing is made where it points', async () => {
    const repo = repository(FILES);
    symlinkSync(join(repo.home, 'made'), join(repo.dir, 'run.jsonl'));
    expect((await run(repo, '--tape', 'run.jsonl')).code).toBe(2);
    expect(existsSync(join(repo.home, 'made'))).toBe(false);
  });

  it.each(['run.jsonl.new', 'run.jsonl.sig', 'run.jsonl.sig.new'])(
    'what is written beside a tape (%s)',
    async (name) => {
      const repo = repository(FILES);
      const file = victim(repo);
      await harness(['tape', 'keygen', 'key'], { cwd: repo.dir });
      symlinkSync(file, join(repo.dir, name));
      expect((await run(repo, '--tape', 'run.jsonl', '--sign', 'key')).code).toBe(0);
      expect(readFileSync(file, 'utf8')).toBe('precious');
    },
  );

  it.each(['runs', 'transcripts'])(
    'the folder of %s: refused, and nothing is made where it points',
    async (name) => {
      const repo = repository(FILES);
      mkdirSync(join(repo.home, 'elsewhere'));
      symlinkSync(join(repo.home, 'elsewhere'), join(repo.dir, '.harness', name));
      const { code, stderr } = await run(repo);
      expect(code).toBe(2);
      expect(stderr).toContain('is not a folder of its own');
      expect(lstatSync(join(repo.home, 'elsewhere')).nlink).toBe(2);
      expect(existsSync(join(repo.home, 'elsewhere/.gitignore'))).toBe(false);
    },
  );

  it('a transcript that is gone on with: refused, and nothing is added where it points', async () => {
    const repo = repository(FILES);
    expect((await run(repo)).code).toBe(0);
    const folder = join(repo.dir, '.harness/transcripts');
    const [name] = readdirSync(folder).filter((each) => each.endsWith('.jsonl'));
    const [file, elsewhere] = [join(folder, name!), join(repo.home, 'elsewhere.jsonl')];
    renameSync(file, elsewhere);
    symlinkSync(elsewhere, file);
    const before = readFileSync(elsewhere, 'utf8');
    expect((await run(repo, '--continue')).code).not.toBe(0);
    expect(readFileSync(elsewhere, 'utf8')).toBe(before);
  });

  it.each([
    ['there', true],
    ['not there', false],
  ])('.gitignore, to something that is %s', async (_name, there) => {
    const repo = repository(FILES);
    const file = there ? victim(repo) : join(repo.home, 'made');
    mkdirSync(join(repo.dir, '.harness/runs'));
    symlinkSync(file, join(repo.dir, '.harness/runs/.gitignore'));
    expect((await run(repo)).code).toBe(0);
    expect(existsSync(file) ? readFileSync(file, 'utf8') : null).toBe(there ? 'precious' : null);
  });

  it.each(['.harness/runs', '.harness'])(
    'what the launcher of an outside agent writes (%s): denied, and nothing is made where it points',
    async (name) => {
      const repo = repository({ 'harness.md': '---\nstrict: true\n---\n', ...FILES });
      const elsewhere = join(repo.home, 'elsewhere');
      mkdirSync(elsewhere);
      if (name === '.harness') renameSync(join(repo.dir, name), join(elsewhere, 'policy'));
      const to = name === '.harness' ? join(elsewhere, 'policy') : elsewhere;
      symlinkSync(to, join(repo.dir, name));
      const before = readdirSync(to);
      expect((await launch(repo)).stdout).toContain('is not a folder of its own');
      expect(readdirSync(to)).toEqual(before);
    },
  );

  it('the .gitignore of the launcher, and of what is imported', async () => {
    const repo = repository({ ...FILES, 'sessions/one.jsonl': TRANSCRIPT });
    for (const name of ['runs', 'imports']) {
      mkdirSync(join(repo.dir, '.harness', name));
      symlinkSync(join(repo.home, 'made'), join(repo.dir, '.harness', name, '.gitignore'));
    }
    expect((await launch(repo)).stdout).toBe('');
    const imported = await harness(['import', 'claude-code', 'sessions'], {
      cwd: repo.dir,
      env: { HOME: repo.home },
    });
    expect(imported).toMatchObject({ code: 0, stdout: expect.stringContaining('1 session') });
    expect(existsSync(join(repo.home, 'made'))).toBe(false);
  });

  it('keys: refused', async () => {
    const repo = repository({});
    const file = victim(repo);
    symlinkSync(file, join(repo.dir, 'key'));
    symlinkSync(join(repo.home, 'made'), join(repo.dir, 'other'));
    for (const name of ['key', 'other'])
      expect((await harness(['tape', 'keygen', name], { cwd: repo.dir })).code).toBe(1);
    expect(readFileSync(file, 'utf8')).toBe('precious');
    expect(existsSync(join(repo.home, 'made'))).toBe(false);
  });

  it('what init writes: files are replaced, folders refused', async () => {
    const repo = repository({ '.harness/README.md': '' });
    const file = victim(repo);
    symlinkSync(file, join(repo.dir, '.harness/harness.md'));
    expect((await harness(['init', '--force'], { cwd: repo.dir, env: { HOME: repo.home } })).code).toBe(0);
    expect(readFileSync(file, 'utf8')).toBe('precious');
    const other = repository({});
    mkdirSync(join(other.dir, '.harness'));
    symlinkSync(other.home, join(other.dir, '.harness/hooks'));
    expect((await harness(['init'], { cwd: other.dir, env: { HOME: other.home } })).code).toBe(2);
    expect(existsSync(join(other.home, 'command_guard.md'))).toBe(false);
  });

  it('reports that test writes: replaced', async () => {
    const repo = repository(FILES);
    const file = victim(repo);
    symlinkSync(file, join(repo.dir, 'report.xml'));
    await harness(['test', '--junit', 'report.xml'], { cwd: repo.dir });
    expect(readFileSync(file, 'utf8')).toBe('precious');
  });
});
