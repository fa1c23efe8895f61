/**
 * The pages and schemas that are written from tables in the code, by their path in the repository. A test holds the
 * committed files against this, so reference and code cannot drift apart.
 */
import { readFileSync } from 'node:fs';
import { EVAL_FIELDS } from '../src/agent/evals/eval-file.ts';
import { ADAPTERS } from '../src/agents/load-adapter.ts';
import { ERRORS } from '../src/base/errors.ts';
import { type Field, type Fields, map } from '../src/base/shape/field.ts';
import { schemaDocument } from '../src/base/shape/json-schema.ts';
import { COMMANDS } from '../src/cli/commands.ts';
import { describeEvents, type EventDescription, samplePayload } from '../src/engine/describe.ts';
import { AGENT_FIELDS, BUNDLE_FIELDS, HOOK_FIELDS, TOOL_FIELDS } from '../src/files/artifact-schema.ts';
import { HARNESS_FIELDS } from '../src/files/harness-schema.ts';
import { jsonSchemas } from '../src/frontends/json-schemas.ts';
import { CONDITION } from '../src/packs/shape.ts';
import { runLineSchema } from '../src/run/run-line.ts';
import { BUILTIN_DOCS } from '../src/script/builtin-docs.ts';
import { BUILTIN_EXAMPLES, COMMAND_FIELD_DOCS, EFFECT_FIELD_DOCS } from '../src/script/builtin-examples.ts';
import type { CommandSpec } from '../src/terminal/command.ts';
import { agentPages, agentSummary } from './agent-pages.ts';
import { claudePlugin } from './claude-plugin.ts';
import { docsIndex } from './docs-index.ts';
import { lifeOfADecision } from './life-of-a-decision.ts';
import { writtenPacks } from './packs-text.ts';
import { code, page, table } from './page.ts';
import { payloadTypes } from './payload-types.ts';
import { programsPage } from './programs-page.ts';
import { vscodeGrammars } from './vscode-grammars.ts';

export function referencePages(): Map<string, string> {
  const pages = new Map<string, string>();
  const events = describeEvents();
  pages.set('docs/reference/events/README.md', eventOverview(events));
  for (const event of events) pages.set(`docs/reference/events/${pageName(event.name)}`, eventPage(event));
  pages.set('src/engine/payload-types.ts', payloadTypes(events));
  pages.set('docs/life-of-a-decision.svg', lifeOfADecision(events));
  pages.set('docs/reference/errors.md', errorPage());
  pages.set('docs/reference/builtins.md', builtinPage());
  pages.set('docs/reference/fields.md', fieldPage());
  pages.set('docs/reference/packs.md', packsPage());
  pages.set('docs/reference/programs.md', programsPage());
  pages.set('docs/cli.md', cliPage());
  pages.set('README.md', withFigures(readFileSync('README.md', 'utf8'), events));
  pages.set('docs/pages.md', docsIndex());
  for (const [path, text] of [...agentPages(), ...vscodeGrammars(), ...claudePlugin()]) pages.set(path, text);
  // In one line: programs read them, and they are part of what everybody downloads.
  for (const [name, schema] of jsonSchemas()) pages.set(`schemas/${name}`, `${JSON.stringify(schema)}\n`);
  const evaluation = schemaDocument('Evaluations in evals/testdata/*.yaml', map('', EVAL_FIELDS));
  pages.set('schemas/evaluation.schema.json', `${JSON.stringify(evaluation)}\n`);
  pages.set('schemas/run-line.schema.json', `${JSON.stringify(runLineSchema())}\n`);
  return pages;
}

/** The figures of the first page, counted where they come from. */
function withFigures(readme: string, events: readonly EventDescription[]): string {
  const { packs } = writtenPacks();
  const rules = packs.flatMap((pack) => pack.rules);
  const tried = rules.reduce((sum, { examples }) => sum + examples.stops.length + examples.passes.length, 0);
  const gates = events.filter(({ authority }) => authority === 'gate').length;
  const line = [
    `${events.length} [events](docs/reference/events/README.md), ${gates} of them gates`,
    `${rules.length} [rules](docs/reference/packs.md) in ${packs.length} packs, held to ${tried} examples of their own`,
    `${Object.keys(ADAPTERS).length} [coding agents](docs/agents.md)`,
    `${Object.keys(ERRORS).length} [errors](docs/reference/errors.md), each with its fix`,
  ].join(' · ');
  return readme
    .replace(
      /<!-- figures -->[\s\S]*<!-- \/figures -->/,
      () => `<!-- figures -->\n${line}.\n<!-- /figures -->`,
    )
    .replace(
      /<!-- agents -->[\s\S]*<!-- \/agents -->/,
      () => `<!-- agents -->\n${agentSummary()}\n<!-- /agents -->`,
    );
}

function packsPage(): string {
  const { packs } = writtenPacks();
  const keys = Object.entries(CONDITION.fields ?? {}).map(
    ([name, { doc }]) => `| \`${name}\` | ${plain(doc)} |`,
  );
  const sections = packs.flatMap(({ pack, version, description, rules }) => [
    `## ${pack}`,
    `${description} Version ${version}.`,
    table(
      ['rule', 'severity', 'does', 'because', 'for instance'],
      rules.map(
        ({ id, severity, action, reason, examples }) =>
          `| \`${pack}/${id}\` | ${severity} | ${action} | ${plain(reason)} | ${cell(examples.stops[0] ?? '')} |`,
      ),
    ),
  ]);
  return page(
    '# Packs of rules',
    'Every rule that ships. [Packs](../packs.md) says how they are put in force and how one is written.',
    ...sections,
    '## What a condition may say',
    table(['key', 'holds if'], keys),
  );
}

/** `custom.*` has a page, but not a star in its file name. */
function pageName(event: string): string {
  return `${event.replace('.*', '')}.md`;
}

function eventOverview(events: readonly EventDescription[]): string {
  const rows = events.map((event) => {
    const honoured = decisionsOf(event).join(', ') || 'nothing';
    return `| [\`${event.name}\`](${pageName(event.name)}) | ${event.authority} | ${honoured} | ${event.fires} |`;
  });
  return page(
    '# Events',
    'A point in an agent’s life. A **gate** can stop what is about to happen, a **transform** can rewrite what has happened, an **advisory** event can only be watched. What a hook says beyond what its event honours is recorded as `vetoIgnored`, never dropped in silence.',
    table(['event', 'authority', 'honours', 'fires'], rows),
  );
}

function eventPage(event: EventDescription): string {
  const facts = [
    `| authority | ${event.authority} |`,
    `| honours | ${decisionsOf(event).join(', ') || 'nothing: hooks watch'} |`,
    `| a block | ${event.onBlock} |`,
    `| cannot be rewritten | ${event.identity.map(code).join(', ') || 'nothing is protected'} |`,
    `| indexed by | ${event.index === null ? 'nothing' : code(event.index)} |`,
    `| other spellings | ${event.aliases.map(code).join(', ') || 'none'} |`,
  ];
  const fields = fieldRows(event.payload.fields ?? {}, ({ required }) => (required ? 'always' : 'maybe'));
  return page(
    `# ${event.name}`,
    event.fires,
    table(['', ''], facts),
    '## Payload',
    `${event.payload.doc}${event.payload.nullable ? ' May be `None`.' : ''}`,
    ...(fields.length === 0 ? [] : [table(['field', 'type', 'there', 'meaning'], fields)]),
    '## Try it',
    `\`\`\`\necho '${JSON.stringify(samplePayload(event.payload))}' | harness decide ${event.name.replace('*', 'example')} --explain\n\`\`\``,
  );
}

const MODIFY = {
  none: null,
  overlay: 'modify (a dict laid over the payload)',
  text: 'modify (a string)',
  any: 'modify',
};

function decisionsOf({ honours }: EventDescription): string[] {
  return [
    honours.block === true ? 'block' : null,
    honours.block === 'error' ? 'no veto (it is an error)' : null,
    MODIFY[honours.modify],
    honours.ask ? 'ask' : null,
    honours.delegate ? 'delegate' : null,
    honours.permit ? 'permit' : null,
  ].filter((word) => word !== null);
}

function errorPage(): string {
  const sections = Object.entries(ERRORS).map(
    ([name, entry]) => `## ${name}\n\n${entry.means}\n\n**Fix**: ${entry.fix}`,
  );
  return page(
    '# Errors',
    'Every code a message can carry, what it means and what to do. Problems in files are printed as `path:line:col: error[CODE]: message`.',
    ...sections,
  );
}

function builtinPage(): string {
  const families = new Map<string, string[]>();
  for (const builtin of BUILTIN_DOCS) {
    const family = builtin.name.includes('.') ? builtin.name.split('.')[0]! : builtin.name;
    const row = `| ${code(builtin.signature)} | ${builtin.inConditions ? 'yes' : ''} | ${builtin.doc} |`;
    families.set(family, [...(families.get(family) ?? []), row]);
  }
  return page(
    '# Built-ins',
    'What a hook’s script can call beside the language itself. Those marked for `when` can be used in conditions too; the others have effects or read something outside the payload. Nothing here starts a program or writes a file.',
    table(['signature', '`when`', 'meaning'], [...families.values()].flat()),
    '## Commands as values',
    'A command of `shell.parse(text).commands` has these fields. They are made for guards: what cannot be known is `dynamic`, what cannot be read is in `errors`, and `complete` is true only if every program that the text can start is named.',
    table(
      ['field', 'meaning'],
      COMMAND_FIELD_DOCS.map(([name, doc]) => `| ${code(name)} | ${doc} |`),
    ),
    '## Effects as values',
    'An effect of `shell.parse(text).effects` says what a command does. What cannot be known is an effect with the certainty `unknown`; it is never left out. `summary` says the same in at most three sentences.',
    table(
      ['field', 'meaning'],
      EFFECT_FIELD_DOCS.map(([name, doc]) => `| ${code(name)} | ${doc} |`),
    ),
    '## Examples',
    'Each is run by the tests.',
    table(
      ['expression', 'value'],
      BUILTIN_EXAMPLES.map(({ expression, shows }) => `| ${cell(expression)} | ${cell(shows)} |`),
    ),
  );
}

/** Words in a table: a bar would end the cell. */
function plain(text: string): string {
  return text.replaceAll('|', '\\|');
}

/** Code in a table: a bar would end the cell. */
function cell(text: string): string {
  return code(text.replaceAll('|', '\\|'));
}

function fieldPage(): string {
  const missing = (field: Field) => (field.required ? '**required**' : (field.default ?? ''));
  const section = (title: string, about: string, fields: Fields) =>
    `## ${title}\n\n${about}\n\n${table(['field', 'type', 'default', 'meaning'], fieldRows(fields, missing))}`;
  return page(
    '# Frontmatter fields',
    'Unknown fields are ignored; `harness validate` warns about them with the nearest known name, and `--strict` makes that an error. The same tables are shipped as JSON Schemas in `schemas/`.',
    section('Hook', 'Files `.harness/hooks/*.md`. The file name is the name of the hook.', HOOK_FIELDS),
    section('Tool', 'Files `.harness/tools/*.md`. The file name is the name of the tool.', TOOL_FIELDS),
    section(
      'Sub-agent',
      'Files `.harness/agents/*.md`. The file name is the name of the agent, the body its system prompt.',
      AGENT_FIELDS,
    ),
    section(
      'harness.md',
      '`harness.md` or `.harness/harness.md`. Hooks listed here have a `handler` as their name.',
      HARNESS_FIELDS,
    ),
    section(
      'Bundle',
      'Files under `.harness/plugins`, `.harness/builtins` and `.harness/overrides`.',
      BUNDLE_FIELDS,
    ),
  );
}

/** One row a field, and below it those of the map it is; `third` says what holds without it. */
function fieldRows(fields: Fields, third: (field: Field) => string, prefix = ''): string[] {
  return Object.entries(fields).flatMap(([name, field]) => [
    `| ${code(prefix + name)} | ${typeName(field)} | ${third(field)} | ${field.doc} |`,
    ...innerRows(field, third, prefix + name),
  ]);
}

/** Hooks and tools in a list have been described on their own. */
function innerRows(field: Field, third: (field: Field) => string, name: string): string[] {
  const { kind, fields, items, forms = [] } = field;
  if (fields !== undefined) return fieldRows(fields, third, `${name}.`);
  // What may also be a word has been listed where it stands alone.
  if (kind === 'object' && items?.fields) return innerRows(items, third, `${name}.NAME`);
  if (kind === 'array' && items?.otherKeys === 'allowed') return innerRows(items, third, `${name}[]`);
  return forms.flatMap((form) => innerRows(form, third, name));
}

function typeName(field: Field): string {
  const name = field.enum?.map(code).join(' or ') ?? kindName(field);
  return field.nullable ? `${name} or null` : name;
}

function kindName({ kind, otherKeys, fields, items, forms = [] }: Field): string {
  if (kind === 'either') return forms.map(typeName).join(' or ');
  // A payload is JSON of any host; a map is something an author writes.
  if (kind === 'object') return otherKeys === 'allowed' || (fields ?? items) === undefined ? 'object' : 'map';
  if (kind !== 'array' || items === undefined) return kind;
  if (items.kind === 'any') return 'list of values';
  return `list of ${items.forms?.map((form) => `${typeName(form)}s`).join(' and ') ?? `${typeName(items)}s`}`;
}

function cliPage(): string {
  return page(
    '# Command line',
    'Every command has `--help`. Colour appears on a terminal only; `NO_COLOR` and `FORCE_COLOR` are honoured. Exit codes: 0 fine, 1 problems found, 2 wrong usage (or, with `decide --exit-code`, a block).',
    ...COMMANDS.map(commandSection),
  );
}

function commandSection(command: CommandSpec): string {
  const rows = command.options.map((option) => {
    const short = option.short === undefined ? '' : `\`-${option.short}\`, `;
    const value = option.value === undefined ? '' : ` ${option.value}`;
    return `| ${short}${code(`--${option.name}${value}`)} | ${option.about} |`;
  });
  return [
    `## harness ${command.name} ${command.args}`,
    command.about.replaceAll('\n', ' '),
    table(['option', ''], rows),
    `\`\`\`\n${command.examples.join('\n')}\n\`\`\``,
  ].join('\n\n');
}
