/** The transcripts in a folder, and what an agent's record says about its own. */
import { readdirSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { isWithin } from '../../machine/index.ts';
import type { InstallTarget } from '../install/installer.ts';
import type { ReadTranscript, Transcript } from '../transcript.ts';
import type { AgentSession } from './own-sessions.ts';

/** Where an agent keeps its transcripts, and who reads them. */
export interface Transcripts {
  /** Names of files that are transcripts. */
  readonly file: RegExp;
  /** Lines that say what a session spent, and whose it is. */
  readonly spending: RegExp;
  reader(): Promise<{ readTranscript: ReadTranscript }>;
  /** The agent's folder of transcripts. */
  folder(env: Env, home: string): string;
  /** Whether a session worked in the project. */
  isOf(root: string, file: string, transcript: Transcript): boolean;
  /** Its sessions, to be compared with tapes; without it nothing is known of them. */
  ownSessions?(place: InstallTarget): readonly AgentSession[];
}

export type Env = (name: string) => string | undefined;

export const workedIn: Transcripts['isOf'] = (root, _file, { cwd }) => cwd !== null && isWithin(cwd, root);

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
