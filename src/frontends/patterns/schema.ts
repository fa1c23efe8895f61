/**
 * Every key of patterns.yaml. Reading, the JSON Schema and the hints for misspelt names all come from here. A key with
 * nothing behind it holds no rule; a preset without a mode is a mistake.
 */
import {
  anything,
  either,
  type Field,
  flag,
  list,
  map,
  nullable,
  oneOf,
  optional,
  strictMap,
  text,
} from '../../base/index.ts';
import { LEVELS, type Level } from './levels.ts';
import { PRESET_MODES } from './preset-body.ts';
import { PRESETS } from './preset-rules.ts';

export const AUDIT_FILE = '.harness/audit/patterns.jsonl';

const pattern = text('RE2 for a command, a glob for a path.', { blank: false, wanted: 'a pattern' });

const RULE = either(
  '',
  pattern,
  map('', { pattern, reason: optional(anything('Told to the person, or to the model.')) }),
);

const levels = (section: Level['section']) =>
  LEVELS.filter((level) => level.section === section).map(
    ({ name, says }) => [name, optional(nullable(list(`What matches ${says}.`, RULE)))] as const,
  );

const presets = Object.entries(PRESETS).map(
  ([name, { doc }]) => [name, optional(oneOf(doc, PRESET_MODES))] as const,
);

const section = (doc: string, fields: readonly (readonly [string, Field])[]) =>
  optional(nullable(strictMap(doc, Object.fromEntries(fields))));

export const PATTERNS_FILE = strictMap('', {
  version: optional(anything('The version of the format, 1.')),
  description: optional(anything('What the file is for.')),
  audit: optional(
    nullable(either('Where each match is written down; `off`: nowhere.', text(''), flag(''))),
    AUDIT_FILE,
  ),
  presets: section('Sets of rules that come along, each with a mode.', presets),
  commands: section('Rules for commands.', levels('commands')),
  paths: section('Rules for paths.', levels('paths')),
});
