/**
 * The folders that were added to a session of Claude Code (`--add-dir`, `permissions.additionalDirectories`), which no payload has. Its
 * transcript lists them before the first answer of the model; what stands after that the agent may have written itself. Where no
 * transcript has them its settings count, those of a project only if the user told Claude Code to trust the folder.
 */
import { isAbsolute, join, resolve } from 'node:path';
import { isJsonObject, type Json, type JsonObject, readJson } from '../../base/index.ts';
import { readArtifact } from '../../files/index.ts';
import type { NativeCall } from '../adapter.ts';
import { firstBytesOf } from '../import/own-sessions.ts';

type Env = (name: string) => string | undefined;

export function furtherFolders({ transcript, cwd }: NativeCall, env: Env): string[] {
  const project = env('CLAUDE_PROJECT_DIR') || cwd;
  return (transcript === null ? null : inTranscript(firstBytesOf(transcript))) ?? inSettings(project, env);
}

/** Null if it does not say. */
function inTranscript(text: string): string[] | null {
  for (const line of text.split('\n')) {
    const record = objectIn(line);
    if (record.type === 'assistant') return null;
    const { type, snapshot } = partOf(record, 'attachment');
    if (type === 'environment' && isJsonObject(snapshot))
      return textsIn(snapshot.additionalWorkingDirectories).filter((folder) => isAbsolute(folder));
  }
  return null;
}

function inSettings(project: string | null, env: Env): string[] {
  const home = env('HOME') ?? '/';
  const user = env('CLAUDE_CONFIG_DIR') || join(home, '.claude');
  const accepted = partOf(
    partOf(fileAt(env('CLAUDE_CONFIG_DIR') || home, '.claude.json'), 'projects'),
    project ?? '',
  );
  const own = project !== null && accepted.hasTrustDialogAccepted === true ? [join(project, '.claude')] : [];
  const files = ['settings.json', 'settings.local.json'];
  const settings = [
    fileAt('/etc/claude-code', 'managed-settings.json'),
    ...[user, ...own].flatMap((folder) => files.map((name) => fileAt(folder, name))),
  ];
  return settings
    .flatMap((each) => textsIn(partOf(each, 'permissions').additionalDirectories))
    .map((folder) => resolve(project ?? '/', folder.replace(/^~(?=\/|$)/, home)));
}

function fileAt(folder: string, name: string): JsonObject {
  const read = readArtifact(folder, name);
  return objectIn(read.ok ? read.text : '');
}

function objectIn(text: string): JsonObject {
  const reading = readJson(text);
  return reading.ok && isJsonObject(reading.value) ? reading.value : {};
}

function partOf(object: JsonObject, key: string): JsonObject {
  const part = object[key];
  return part !== undefined && isJsonObject(part) ? part : {};
}

function textsIn(value: Json | undefined): string[] {
  return Array.isArray(value) ? value.filter((each) => typeof each === 'string') : [];
}
