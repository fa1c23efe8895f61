import { mkdtempSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { describe, expect, it, onTestFinished } from 'vitest';
import { remove } from '../../../test/support/remove.ts';
import { tempProject } from '../../../test/support/temp-project.ts';
import { furtherFolders } from './further-folders.ts';
import { adapter } from './index.ts';
import { read } from './read.ts';

/** As Claude Code 2.1.325 wrote it, started with `--add-dir /srv/more` and `/srv/listed` in its settings; shortened. */
const ENVIRONMENT = (...folders: readonly string[]) => ({
  parentUuid: '7007bacf-887f-4f9b-ab81-538a46531723',
  attachment: {
    type: 'environment',
    snapshot: {
      workingDirectory: '/srv/app',
      isWorktree: false,
      additionalWorkingDirectories: folders,
      platform: 'linux',
    },
  },
  type: 'attachment',
  sessionId: '5ec086b3-85b3-4c9e-b4bd-c401dafd0dcf',
});
const BEFORE = [
  { type: 'queue-operation' },
  { type: 'user', message: { content: '"type":"assistant" is a word' } },
];
const ANSWER = { type: 'assistant', message: { role: 'assistant', content: [] } };

function found({
  lines = [],
  files = {},
  accepted = true,
}: {
  readonly lines?: readonly object[];
  readonly files?: Readonly<Record<string, object>>;
  readonly accepted?: boolean;
}): string[] {
  const home = tempProject(
    Object.fromEntries(Object.entries(files).map(([path, content]) => [path, JSON.stringify(content)])),
  );
  const project = join(home, 'app');
  const folder = mkdtempSync(join(tmpdir(), 'harness-transcript-'));
  onTestFinished(() => remove(folder));
  const transcript = join(folder, 's.jsonl');
  writeFileSync(transcript, lines.map((line) => `${JSON.stringify(line)}\n`).join(''));
  const projects = { [project]: { hasTrustDialogAccepted: accepted } };
  writeFileSync(join(home, '.claude.json'), JSON.stringify({ projects }));
  const call = read(
    {
      session_id: 's',
      transcript_path: transcript,
      cwd: project,
      hook_event_name: 'PreToolUse',
      tool_name: 'Write',
      tool_input: { file_path: '/srv/more/a', content: 'x' },
      tool_use_id: 'c',
    },
    'PreToolUse',
  );
  if ('problem' in call) throw new Error(call.problem);
  const env: Readonly<Record<string, string>> = { HOME: home, CLAUDE_PROJECT_DIR: project };
  return furtherFolders(call, (name) => env[name]).map((path) => path.replace(home, '~'));
}

describe('the folders added to a session of Claude Code', () => {
  it('are those that its transcript names before the first answer of the model', () => {
    expect(found({ lines: [...BEFORE, ENVIRONMENT('/srv/listed', '/srv/more'), ANSWER] })).toEqual([
      '/srv/listed',
      '/srv/more',
    ]);
    expect(adapter.furtherFolders).toBe(furtherFolders);
  });

  it('are none that stand after that answer: the agent may have written those', () => {
    expect(found({ lines: [...BEFORE, ANSWER, ENVIRONMENT('/etc')] })).toEqual([]);
    expect(found({ lines: [ENVIRONMENT('/srv/more'), ANSWER, ENVIRONMENT('/etc')] })).toEqual(['/srv/more']);
  });

  it('are those of the settings where no transcript names any', () => {
    const permissions = (...additionalDirectories: readonly string[]) => ({
      permissions: { additionalDirectories },
    });
    const files = {
      '.claude/settings.json': permissions('/srv/notes', '~/docs'),
      'app/.claude/settings.json': permissions('../shared'),
      'app/.claude/settings.local.json': permissions('/srv/own'),
    };
    expect(found({ files })).toEqual(['/srv/notes', '~/docs', '~/shared', '/srv/own']);
  });

  it('are not those of the settings of a project that the user did not tell the agent to trust', () => {
    const files = { 'app/.claude/settings.json': { permissions: { additionalDirectories: ['/srv/own'] } } };
    expect(found({ files, accepted: false })).toEqual([]);
    expect(found({ files })).toEqual(['/srv/own']);
  });
});
