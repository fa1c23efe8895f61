/**
 * What a person typed at a prompt of ours, for the next time: kept as Harness keeps everything, for its owner alone, and without
 * the secrets that were typed. That it cannot be kept is no reason to stop.
 */
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { machineHost, replaceFile } from '../machine/index.ts';
import { openFolder, stateFolder } from '../policy/index.ts';
import { createRedactor, secretVariables } from '../secrets/index.ts';

const MOST = 500;

/** Oldest first. */
export function readHistory(file: string): string[] {
  const folder = stateFolder(machineHost);
  try {
    const kept = folder === null ? [] : (JSON.parse(readFileSync(join(folder, file), 'utf8')) as unknown);
    return Array.isArray(kept) ? kept.filter((line) => typeof line === 'string') : [];
  } catch {
    return [];
  }
}

export function writeHistory(file: string, lines: readonly string[]): void {
  const folder = stateFolder(machineHost);
  if (folder === null || openFolder(folder) !== null) return;
  const { redact } = createRedactor({ values: secretVariables(machineHost) });
  try {
    const kept = lines.slice(-MOST).map((line) => redact(line).text);
    replaceFile(join(folder, file), JSON.stringify(kept), { flush: false });
  } catch {
    // It is only a convenience.
  }
}
