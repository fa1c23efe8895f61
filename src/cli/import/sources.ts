/** Where agents keep their own transcripts, and who reads them. */
import { hash } from 'node:crypto';
import { readdirSync, readFileSync, statSync } from 'node:fs';
import { basename, join } from 'node:path';
import { isInside } from '../../adapters/install/installer.ts';
import type { ReadTranscript, Transcript } from '../../adapters/transcript.ts';

export interface Source {
  /** As on the command line. */
  readonly agent: string;
  readonly title: string;
  /** Names of files that are transcripts. */
  readonly file: RegExp;
  readonly reader: () => Promise<{ readTranscript: ReadTranscript }>;
  /** The agent's folder of transcripts. */
  readonly folder: (env: Env, home: string) => string;
  /** Whether a session worked in the project. */
  readonly isOf: (root: string, file: string, transcript: Transcript) => boolean;
}

export type Env = (name: string) => string | undefined;

const workedIn: Source['isOf'] = (root, _file, { cwd }) => cwd !== null && isInside(cwd, root);

export const SOURCES: readonly Source[] = [
  {
    agent: 'claude-code',
    title: 'Claude Code',
    file: /\.jsonl$/,
    reader: () => import('../../adapters/claude-code/transcript.ts'),
    folder: (env, home) => join(env('CLAUDE_CONFIG_DIR') || join(home, '.claude'), 'projects'),
    isOf: workedIn,
  },
  {
    agent: 'codex',
    title: 'Codex CLI',
    file: /^rollout-.*\.jsonl$/,
    reader: () => import('../../adapters/codex/transcript.ts'),
    folder: (env, home) => join(env('CODEX_HOME') || join(home, '.codex'), 'sessions'),
    isOf: workedIn,
  },
  {
    agent: 'gemini',
    title: 'Gemini CLI',
    file: /^session-.*\.jsonl?$/,
    reader: () => import('../../adapters/gemini-cli/transcript.ts'),
    folder: (_env, home) => join(home, '.gemini', 'tmp'),
    isOf: (root, file) => geminiRoot(file, root),
  },
];

/** The transcript does not say where it worked; the folder around it does, by a file or by its name. */
function geminiRoot(file: string, root: string): boolean {
  const project = join(file, '..', '..');
  try {
    return isInside(readFileSync(join(project, '.project_root'), 'utf8').trim(), root);
  } catch {
    return basename(project) === hash('sha256', root, 'hex');
  }
}

const MOST_FILES = 20_000;
const DEEPEST = 8;

/** Files of that name, sorted; links to folders are not followed. */
export function transcriptsIn(path: string, name: RegExp): string[] {
  if (statSync(path).isFile()) return [path];
  const found: string[] = [];
  const look = (folder: string, depth: number): void => {
    for (const entry of entriesOf(folder)) {
      if (found.length >= MOST_FILES) return;
      const full = join(folder, entry.name);
      if (entry.isDirectory() && depth < DEEPEST) look(full, depth + 1);
      else if (entry.isFile() && name.test(entry.name)) found.push(full);
    }
  };
  look(path, 0);
  return found;
}

function entriesOf(folder: string) {
  try {
    return readdirSync(folder, { withFileTypes: true }).sort((a, b) => (a.name < b.name ? -1 : 1));
  } catch {
    return [];
  }
}
