/**
 * Reads evaluation files of AI Harness, `evals/testdata/*.yaml`: a setup, what a person says, and what must hold afterwards.
 * Strict, because a key or an assertion that is passed over is a test that is silently not run. `completions`, the items of a
 * script, is ours: with it the file plays without a model, and AI Harness does not look at it.
 */
import { existsSync, readdirSync } from 'node:fs';
import { join } from 'node:path';
import {
  anything,
  compileRegex,
  described,
  flag,
  integer,
  list,
  type MapNode,
  map,
  mapOf,
  oneOf,
  optional,
  type Problem,
  type TypeOf,
  text,
} from '../../base/index.ts';
import { checkFields, DELEGATION, FileReport, parseYaml, readArtifact } from '../../files/index.ts';
import { COMPLETION_FIELDS, checkCompletions } from '../providers/scripted-file.ts';
import { GRADES, type GradeType } from './eval-grades.ts';

const EVALS_FOLDER = 'evals/testdata';

const GRADE = map('', {
  type: oneOf('What is asserted.', Object.keys(GRADES) as [GradeType, ...GradeType[]]),
  value: optional(anything('A text, a hook, a limit.')),
  tool: optional(text('The tool.')),
  args_contain: optional(mapOf('Arguments of a call, by part of their text.', anything(''))),
  count: optional(integer('Exactly as many calls.', { min: 0 })),
  min_value: optional(integer('At least as many.', { min: 0 })),
  max_value: optional(integer('At most as many.', { min: 0 })),
});

const TOOL = map('', {
  name: text('The name of the tool.'),
  description: text('What the model reads.'),
  parameters: optional(
    mapOf(
      'What it takes, by name.',
      map('', {
        type: optional(text('The JSON type.')),
        description: optional(text('What the model reads about it.')),
        required: optional(flag('Whether a call without it is refused.')),
      }),
    ),
  ),
  script: text('Starlark source that defines `run(args)`.'),
  error_on_call: optional(integer('This many calls fail.', { min: 0 })),
});

const HOOK = map('', {
  name: text('The name of the hook.'),
  event: text('The event it subscribes to.'),
  when: optional(text('The hook runs where it is true.')),
  priority: optional(integer('Lower runs first.')),
  script: optional(text('Starlark source that defines `handle(event, payload)`.')),
});

const SETUP = {
  system_prompt: optional(text('The system prompt.')),
  tools: optional(list('Tools of this case.', TOOL)),
  hooks: optional(list('Hooks of this case.', HOOK)),
  config: optional(text('The harness.md of the project, instead of tools and hooks.')),
  delegation: optional(
    described(
      DELEGATION,
      'Limits of sub-agents. There is one, named `agent`, with the tools and hooks of this case.',
    ),
  ),
};

export const EVAL_FIELDS = {
  name: text('What `--filter` finds.'),
  description: optional(text('For people.')),
  category: optional(text('For people.')),
  model: optional(text('Of a real model; not used.')),
  max_tokens: optional(integer('Of a real model; not used.')),
  timeout: optional(anything('Of a real model; not used.')),
  setup: optional(map('What the agent is made of.', SETUP)),
  turns: list(
    'What the person says, one after the other.',
    map('', { role: oneOf('Who says it.', ['user']), content: text('What is said.') }),
  ),
  grade: list('What must hold afterwards.', GRADE),
  completions: optional(list('What the model answers.', map('', COMPLETION_FIELDS))),
};

export type Criterion = TypeOf<typeof GRADE>;

export interface EvalCase {
  readonly name: string;
  /** Relative to the project. */
  readonly source: string;
  readonly setup: TypeOf<typeof EVAL_FIELDS.setup>;
  /** Of `setup`, for the places of what stands in it. */
  readonly tree: MapNode | null;
  readonly report: FileReport;
  readonly prompts: readonly string[];
  readonly grades: readonly { readonly criterion: Criterion; readonly line: number }[];
  /** Null: the file scripts no model. */
  readonly completions: TypeOf<typeof EVAL_FIELDS.completions> | null;
}

export interface ReadEvals {
  readonly evals: readonly EvalCase[];
  readonly problems: readonly Problem[];
}

export function readEvals(dir: string): ReadEvals {
  const evals: EvalCase[] = [];
  const problems: Problem[] = [];
  const folder = join(dir, EVALS_FOLDER);
  for (const name of existsSync(folder) ? readdirSync(folder).sort() : []) {
    if (!/\.ya?ml$/.test(name) || name.startsWith('.')) continue;
    const read = readEval(dir, `${EVALS_FOLDER}/${name}`);
    if (read.eval !== null) evals.push(read.eval);
    problems.push(...read.problems);
  }
  return { evals, problems };
}

interface ReadEval {
  readonly eval: EvalCase | null;
  readonly problems: readonly Problem[];
}

function readEval(dir: string, path: string): ReadEval {
  const read = readArtifact(dir, path);
  const report = new FileReport(path, read.ok ? read.text : '');
  if (!read.ok) report.error(read.code, `${path} ${read.message}`, 0);
  const root = read.ok
    ? parseYaml({ yaml: read.text, yamlStart: 0, body: '' }, report, `parse ${path}`)
    : null;
  if (root === null) return { eval: null, problems: report.problems };
  // The folder may hold the data of other programs; a file with none of these keys is no evaluation, whatever it misspells.
  if (!['setup', 'turns', 'grade'].some((key) => root.entries.has(key))) return { eval: null, problems: [] };
  const fields = checkFields(root, EVAL_FIELDS, { report, path: '' });
  checkCompletions(fields.list('completions'), { report, parsing: `parse ${path}`, path: '' });
  const { name = path, setup = {}, turns = [], grade = [], completions = null } = fields.data;
  const items = fields.list('grade')?.items ?? [];
  const wrong = (message: string, offset: number) => report.error('TEST_INVALID', message, offset);
  if (fields.get('grade') !== undefined && grade.length === 0)
    wrong(`${name} asserts nothing`, fields.offset('grade'));
  const own = [setup.tools, setup.hooks, setup.delegation].some((part) => part !== undefined);
  if (setup.config !== undefined && own)
    wrong(
      'setup has config and its own tools, hooks or delegation: give one of them',
      fields.offset('setup'),
    );
  grade.forEach((criterion, at) => {
    const fault = faultOf(criterion);
    if (fault !== null) wrong(`grade[${at}]: ${fault}`, items[at]!.start);
  });
  // A key that is passed over would change what is tested.
  const problems = report.problems.map((problem): Problem => ({ ...problem, severity: 'error' }));
  if (problems.length > 0) return { eval: null, problems };
  const tree = fields.get('setup');
  const found: EvalCase = {
    name,
    source: path,
    setup,
    tree: tree?.kind === 'map' ? tree : null,
    report,
    prompts: turns.map(({ content }) => content),
    grades: grade.map((criterion, at) => ({ criterion, line: report.lineOf(items[at]!.start) })),
    completions,
  };
  return { eval: found, problems: [] };
}

/** What an assertion needs and does not have. */
function faultOf(criterion: Criterion): string | null {
  const { type, value, tool } = criterion;
  const { needs } = GRADES[type];
  if (needs === 'tool' && tool === undefined) return `${type} needs tool: the name of a tool`;
  if ((needs === 'value' || needs === 'hook') && (value === undefined || value === null || value === ''))
    return `${type} needs a value`;
  if (needs === 'number' && criterion.max_value === undefined && !/^\d+$/.test(String(value)))
    return `${type} needs a value that is a number, got ${JSON.stringify(value ?? null)}`;
  if (type !== 'response_matches') return null;
  const compiled = compileRegex(String(value));
  return compiled.ok ? null : `value is no RE2 pattern: ${compiled.message}`;
}
