/**
 * The files `harness init` writes, by their path in the project. The texts are real artifacts beside this file, so that
 * tests validate them. The README lists what was written.
 */
import harness from './templates/harness.md';
import auditToolPost from './templates/hooks/audit_tool_post.md';
import auditToolPre from './templates/hooks/audit_tool_pre.md';
import commandGuard from './templates/hooks/command_guard.md';
import completionWindowGuard from './templates/hooks/completion_window_guard.md';
import metaToolGuard from './templates/hooks/meta_tool_guard.md';
import pathGuard from './templates/hooks/path_guard.md';
import preferNamedTools from './templates/hooks/prefer_named_tools.md';
import redactPrompt from './templates/hooks/redact_prompt.md';
import redactToolPost from './templates/hooks/redact_tool_post.md';
import readme from './templates/README.md';
import guards from './templates/tests/guards.yaml';
import readFile from './templates/tools/read_file.md';
import runCommand from './templates/tools/run_command.md';
import writeFile from './templates/tools/write_file.md';

/** Skipped if the project has a `harness.md` of its own: a folder has one. */
export const SETTINGS = '.harness/harness.md';

export const TEMPLATES: ReadonlyMap<string, string> = new Map([
  [SETTINGS, harness],
  ['.harness/hooks/audit_tool_pre.md', auditToolPre],
  ['.harness/hooks/audit_tool_post.md', auditToolPost],
  ['.harness/hooks/command_guard.md', commandGuard],
  ['.harness/hooks/path_guard.md', pathGuard],
  ['.harness/hooks/prefer_named_tools.md', preferNamedTools],
  ['.harness/hooks/meta_tool_guard.md', metaToolGuard],
  ['.harness/hooks/completion_window_guard.md', completionWindowGuard],
  ['.harness/hooks/redact_tool_post.md', redactToolPost],
  ['.harness/hooks/redact_prompt.md', redactPrompt],
  ['.harness/tests/guards.yaml', guards],
  ['.harness/tools/run_command.md', runCommand],
  ['.harness/tools/read_file.md', readFile],
  ['.harness/tools/write_file.md', writeFile],
]);

const OBSERVE =
  '# Nothing is stopped yet: `harness report` says what would be. Remove this line to enforce the policy.\nobserve: true\n';

export interface ScaffoldChoice {
  /** The project has settings of its own. */
  readonly ownSettings: boolean;
  readonly observe: boolean;
  /** Example tools and a hook on model answers, for `harness run`; a coding agent has its own tools and shows no answers. */
  readonly ownLoop: boolean;
}

const OWN_LOOP = /^\.harness\/(?:tools\/|hooks\/completion_window_guard\.md$)/;

/** Texts by path, the README last. */
export function scaffold({ ownSettings, observe, ownLoop }: ScaffoldChoice): ReadonlyMap<string, string> {
  const files = new Map(
    [...TEMPLATES].filter(
      ([path]) => !(ownSettings && path === SETTINGS) && (ownLoop || !OWN_LOOP.test(path)),
    ),
  );
  const settings = files.get(SETTINGS);
  if (observe && settings !== undefined) files.set(SETTINGS, settings.replace(/^---\n/, `---\n${OBSERVE}`));
  return files.set('.harness/README.md', readme.replace('<!-- files -->\n', listOf(files)));
}

function listOf(files: ReadonlyMap<string, string>): string {
  const hooks = [...files].filter(([path]) => path.startsWith('.harness/hooks/'));
  const rows = hooks.map(([path, text]) => {
    const event = /^event: (.+)$/m.exec(text)?.[1];
    const about = /^# \w+\n\n(.+)$/m.exec(text)?.[1];
    return `| ${nameOf(path)} | ${event} | ${about} |`;
  });
  const others = [...files.keys()].filter((path) => !path.startsWith('.harness/hooks/')).map(nameOf);
  return [
    '| hook | event | what it does |',
    '|---|---|---|',
    ...rows,
    '',
    `Beside the hooks: ${others.map((name) => `\`${name}\``).join(', ')}.`,
    '',
  ].join('\n');
}

function nameOf(path: string): string {
  return path.replace('.harness/', '').replace(/^hooks\/(.+)\.md$/, '$1');
}
