/** What a session spent by its agent's own transcript, of which only the lines that say it are read. */
import { readFileSync, realpathSync, statSync } from 'node:fs';
import { homedir } from 'node:os';
import { basename } from 'node:path';
import { isWithin, machineHost } from '../../machine/index.ts';
import { agentNamed } from '../all-agents.ts';
import type { Spent } from '../transcript.ts';
import { linesOf } from './import-file.ts';

const MOST_BYTES = 64 * 1024 * 1024;

/** Null for a file that is not among the agent's own transcripts: whoever writes a tape could name any. */
export async function spentIn(agent: string, file: string): Promise<Spent | null> {
  const transcripts = agentNamed(agent)?.transcripts;
  if (transcripts === undefined || !transcripts.file.test(basename(file))) return null;
  try {
    const folder = realpathSync(transcripts.folder(machineHost.env, homedir()));
    if (!isWithin(realpathSync(file), folder)) return null;
    const stat = statSync(file);
    if (!stat.isFile() || stat.size > MOST_BYTES) return null;
    const { readTranscript } = await transcripts.reader();
    const read = readTranscript(linesOf(readFileSync(file, 'utf8'), transcripts.spending));
    return 'problem' in read ? null : read.spent;
  } catch {
    return null;
  }
}
