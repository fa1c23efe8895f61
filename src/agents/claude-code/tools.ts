/** The tools of Claude Code under the names that policies use. MCP tools, `mcp__SERVER__TOOL`, keep theirs. */
import type { ToolRow } from '../adapter.ts';

export const TOOLS: readonly ToolRow[] = [
  { native: 'Bash', name: 'run_command', args: { command: 'command' } },
  { native: 'PowerShell', name: 'run_command', args: { command: 'command' }, shell: 'powershell' },
  { native: 'Read', name: 'read_file', args: { file_path: 'path' } },
  { native: 'Write', name: 'write_file', args: { file_path: 'path', content: 'content' } },
  { native: 'Edit', name: 'edit_file', args: { file_path: 'path', old_string: 'old', new_string: 'new' } },
  { native: 'MultiEdit', name: 'edit_file', args: { file_path: 'path' } },
  { native: 'NotebookEdit', name: 'edit_file', args: { notebook_path: 'path', new_source: 'new' } },
  { native: 'Glob', name: 'list_files', args: { path: 'path', pattern: 'pattern' } },
  { native: 'LS', name: 'list_files', args: { path: 'path' } },
  { native: 'Grep', name: 'search_files', args: { path: 'path', pattern: 'pattern' } },
  { native: 'WebFetch', name: 'fetch_url', args: { url: 'url' } },
  { native: 'WebSearch', name: 'web_search', args: { query: 'query' } },
  { native: 'Agent', name: 'delegate', args: { subagent_type: 'agent', prompt: 'prompt' } },
  { native: 'Task', name: 'delegate', args: { subagent_type: 'agent', prompt: 'prompt' } },
];
