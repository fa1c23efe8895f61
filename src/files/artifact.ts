/**
 * One Markdown artifact on disk, see parse-artifact.ts.
 */
import { type Artifact, type ArtifactOptions, parseArtifact } from './parse-artifact.ts';
import { readArtifact } from './read-file.ts';

export type { Artifact };

/** `noun` is what the file is, for messages: `hook`, `bundle`, or empty for `harness.md` itself. */
export function loadArtifact(
  dir: string,
  path: string,
  noun: string,
  options: Omit<ArtifactOptions, 'noun'> = {},
): Artifact {
  return parseArtifact(path, readArtifact(dir, path), { noun, ...options });
}
