/**
 * One Markdown artifact of a folder, see parse-artifact.ts.
 */
import type { FolderSnapshot } from './folder-snapshot.ts';
import { type Artifact, type ArtifactOptions, parseArtifact } from './parse-artifact.ts';

/** `noun` is what the file is, for messages: `hook`, `bundle`, or empty for `harness.md` itself. */
export function loadArtifact(
  snapshot: FolderSnapshot,
  path: string,
  noun: string,
  options: Omit<ArtifactOptions, 'noun'> = {},
): Artifact {
  return parseArtifact(path, snapshot.text(path), { noun, ...options });
}
