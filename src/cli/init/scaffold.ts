/**
 * The files `harness init` writes, by their path in the project. The texts are real artifacts beside this file, so that
 * they are reviewed and validated as what they are.
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
import revealHiddenText from './templates/hooks/reveal_hidden_text.md';
import readme from './templates/README.md';
import guards from './templates/tests/guards.yaml';
import readFile from './templates/tools/read_file.md';
import runCommand from './templates/tools/run_command.md';
import writeFile from './templates/tools/write_file.md';

/** Left out if the project has a `harness.md` of its own: two of them would be a mistake. */
export const SETTINGS = '.harness/harness.md';

export const SCAFFOLD: ReadonlyMap<string, string> = new Map([
  ['.harness/README.md', readme],
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
  ['.harness/hooks/reveal_hidden_text.md', revealHiddenText],
  ['.harness/tests/guards.yaml', guards],
  ['.harness/tools/run_command.md', runCommand],
  ['.harness/tools/read_file.md', readFile],
  ['.harness/tools/write_file.md', writeFile],
]);
