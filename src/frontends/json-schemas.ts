/**
 * The JSON Schema of every file this package reads, made from the tables its readers use, so that editors complete and
 * check the files as the readers do.
 */
import { type Field, type Fields, type JsonObject, map, schemaDocument } from '../base/index.ts';
import {
  AGENT_FIELDS,
  BUNDLE_FIELDS,
  HARNESS_FIELDS,
  HOOK_FIELDS,
  TEST_FILE,
  TOOL_FIELDS,
} from '../files/index.ts';
import { MANIFEST_FILE } from './manifest/schema.ts';
import { PATTERNS_FILE } from './patterns/schema.ts';
import { PROFILE_FILE } from './profile/schema.ts';
import { SETTINGS_FILE } from './settings/schema.ts';

const frontmatter = (fields: Fields): Field => map('', fields);

/** By their names in `schemas/`. */
const FILES: Readonly<Record<string, readonly [title: string, shape: Field]>> = {
  hook: ['Harness hook artifact', frontmatter(HOOK_FIELDS)],
  tool: ['Harness tool artifact', frontmatter(TOOL_FIELDS)],
  'sub-agent': ['Harness sub-agent artifact', frontmatter(AGENT_FIELDS)],
  harness: ['harness.md frontmatter', frontmatter(HARNESS_FIELDS)],
  bundle: ['Harness bundle artifact', frontmatter(BUNDLE_FIELDS)],
  settings: ['Hooks in .harness/settings.json', SETTINGS_FILE],
  agent: ['Hooks in agent.json', PROFILE_FILE],
  harn: ['Hooks in harn.toml', MANIFEST_FILE],
  tests: ['Tests in .harness/tests/*.yaml', map('', TEST_FILE)],
  patterns: ['Rules in .harness/patterns.yaml', PATTERNS_FILE],
};

export function jsonSchemas(): ReadonlyMap<string, JsonObject> {
  return new Map(
    Object.entries(FILES).map(([name, [title, shape]]) => [
      `${name}.schema.json`,
      schemaDocument(title, shape),
    ]),
  );
}
