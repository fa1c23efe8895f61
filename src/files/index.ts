/** Reading artifacts: front matter, YAML, JSON and TOML with positions, reports. */

export { loadArtifact } from './artifact.ts';
export {
  AGENT_FIELDS,
  BUNDLE_FIELDS,
  BUNDLE_KINDS,
  DEFAULT_TIMEOUT_MS,
  HOOK_FIELDS,
  LISTED_HOOK_FIELDS,
  LISTED_TOOL_FIELDS,
  LISTED_TOOLS,
  ON_ERROR,
  PARAMETER_FIELDS,
  PARAMETER_TYPES,
  TOOL_FIELDS,
  withHookList,
} from './artifact-schema.ts';
export { checkFields, Fields, type Misplaced, placed, type Scope } from './check-fields.ts';
export { describe, JSON_FILE } from './dialect.ts';
export { embeddedExpression, embeddedSource } from './embedded-source.ts';
export { FolderSnapshot, UNREADABLE } from './folder-snapshot.ts';
export { type FormattedText, formatText } from './format-text.ts';
export { firstSentence } from './frontmatter.ts';
export {
  COPILOT,
  DELEGATION,
  HARNESS_FIELDS,
  HIDDEN_TEXT,
  type HiddenText,
  TAPE_PAYLOADS,
  type TapePayloads,
  type WrittenDelegation,
  type WrittenException,
  type WrittenModel,
  type WrittenPermissions,
  type WrittenUse,
} from './harness-schema.ts';
export { readJsonTree } from './json-tree.ts';
export { type Artifact, type ArtifactOptions, parseArtifact } from './parse-artifact.ts';
export {
  codeOf,
  dangles,
  type FileContent,
  isAbsent,
  LEADS_OUT,
  leadsOut,
  readArtifact,
  readAsEdited,
  readBytes,
  reason,
} from './read-file.ts';
export { FileReport } from './report.ts';
export { stepLines, TEST_FILE, type WrittenCase } from './test-schema.ts';
export { pathKey, tomlLocations } from './toml-places.ts';
export { readTomlTree } from './toml-tree.ts';
export { parseYaml } from './yaml-tree.ts';
