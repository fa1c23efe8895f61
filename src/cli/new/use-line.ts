/**
 * The line under `use:` that puts a pack in force, in the harness.md there is or in a new one. The file is read again with the line in
 * it before anything is written: a form this does not understand is left to a person.
 */
import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { isJsonObject, toData } from '../../base/index.ts';
import { parseArtifact, readArtifact } from '../../files/index.ts';
import { makeFile, ownFolder, replaceFile } from '../../machine/index.ts';
import { packDigest } from '../../packs/index.ts';

export type UseLine = { readonly path: string; readonly write: () => void } | { readonly problem: string };

const SETTINGS_PATHS = ['harness.md', '.harness/harness.md'];

export function useLine(dir: string, name: string, pack: string): UseLine {
  const place = `./.harness/packs/${name}.yaml`;
  const entry = `"${place}": {mode: enforce, digest: "${packDigest(`${name}.yaml`, pack)}"}`;
  const path = SETTINGS_PATHS.find((each) => existsSync(join(dir, each)));
  if (path === undefined) {
    const [, fresh] = SETTINGS_PATHS as [string, string];
    const text = `---\nuse:\n  ${entry}\n---\n`;
    const write = () => {
      ownFolder(dir, '.harness');
      makeFile(join(dir, fresh), text);
    };
    return { path: fresh, write };
  }
  const read = readArtifact(dir, path);
  if (!read.ok) return { problem: `${path} ${read.message}` };
  const text = withLine(read.text, entry);
  if (text === null || !usesPack(path, text, place)) {
    return { problem: `${path} has a use: that is no map over lines: write \`${entry}\` into it yourself` };
  }
  return { path, write: () => replaceFile(join(dir, path), text, { mode: 0o644 }) };
}

function withLine(text: string, entry: string): string | null {
  const lines = text.split('\n');
  const end = lines.indexOf('---', 1);
  if (lines[0] !== '---' || end === -1) return null;
  const at = lines.findIndex((line, nth) => nth < end && /^use:/.test(line));
  if (at === -1) lines.splice(1, 0, 'use:', `  ${entry}`);
  else if (/^use:\s*(?:#.*)?$/.test(lines[at]!)) {
    const indent = /^(\s+)[^\s#-]/.exec(lines[at + 1] ?? '')?.[1];
    if (indent === undefined) return null;
    lines.splice(at + 1, 0, indent + entry);
  } else return null;
  return lines.join('\n');
}

/** Whether the file, read with the line in it, uses the pack. */
function usesPack(path: string, text: string, place: string): boolean {
  const { map, report } = parseArtifact(path, { ok: true, text }, { noun: '', plainTextIsFine: true });
  const data = map === null || report.failed ? null : toData(map);
  const use = isJsonObject(data) ? data.use : null;
  return isJsonObject(use) && Object.hasOwn(use, place);
}
