// One call of every tool that an agent offers its model, in that agent's own words: what the agent then hands to its hooks is
// the shape of the calls of a normal day (test/normal-day). The values are marks that are found again in what was handed over.

export const MARKS = {
  path: '{{cwd}}/src/day.ts',
  relative: 'src/day.ts',
  made: 'src/made/new.ts',
  notebook: 'notes/day.ipynb',
  image: 'day.png',
  command: "printf 'DAY_%s\\n' OUTPUT",
  background: "sleep 1; printf 'DAY_%s\\n' BACK",
  content: 'DAY_CONTENT',
  old: 'DAY_OLD',
  new: 'DAY_NEW',
  pattern: 'DAY_PATTERN',
  glob: 'src/*.day',
  url: 'https://day.example/page',
  query: 'DAY_QUERY',
  prompt: 'DAY_PROMPT',
  note: 'DAY_NOTE',
  todo: 'DAY_TODO',
  output: 'DAY_OUTPUT',
};

const M = MARKS;
const at = (path) => `{{cwd}}/${path}`;
const patch = (...lines) => ['*** Begin Patch', ...lines, '*** End Patch', ''].join('\n');
const added = (path) => patch(`*** Add File: ${path}`, `+${M.content}`);
const changed = (path) => patch(`*** Update File: ${path}`, '@@', `-${M.old}`, `+${M.new}`);

/** What the calls find in the workspace. */
export const FILES = {
  [M.relative]: `${M.output}\n${M.old}\n`,
  'src/second.ts': `${M.old}\n`,
  [M.notebook]: JSON.stringify({
    cells: [{ cell_type: 'code', id: 'a1', metadata: {}, source: ['1'], outputs: [], execution_count: null }],
    metadata: {},
    nbformat: 4,
    nbformat_minor: 5,
  }),
};

const PIXEL =
  'iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg==';
const PNG = `printf ${PIXEL} | base64 -d > ${M.image}`;

/** By agent: the kind of a call, the tool's name as the model calls it, its arguments. */
export const EVERY_TOOL = {
  'claude-code': [
    ['run', 'Bash', { command: M.command, description: 'Print a line' }],
    ['background', 'Bash', { command: M.background, description: 'Wait', run_in_background: true }],
    ['prepare', 'Bash', { command: PNG }],
    ['read', 'Read', { file_path: M.path }],
    ['image', 'Read', { file_path: at(M.image) }],
    ['write', 'Write', { file_path: at(M.made), content: M.content }],
    ['edit', 'Edit', { file_path: M.path, old_string: M.old, new_string: M.new, replace_all: false }],
    ['load', 'ToolSearch', { query: 'select:NotebookEdit,WebFetch,WebSearch,Monitor', max_results: 9 }],
    ['load', 'ToolSearch', { query: 'select:EnterWorktree,ExitWorktree,CronList', max_results: 9 }],
    ['load', 'ToolSearch', { query: 'select:mcp__notes__keep', max_results: 9 }],
    ['load', 'Read', { file_path: at(M.notebook) }],
    [
      'notebook',
      'NotebookEdit',
      {
        notebook_path: at(M.notebook),
        cell_id: 'a1',
        new_source: M.content,
        cell_type: 'code',
        edit_mode: 'replace',
      },
    ],
    ['fetch', 'WebFetch', { url: M.url, prompt: 'What does the page say?' }],
    ['web', 'WebSearch', { query: M.query }],
    [
      'findings',
      'ReportFindings',
      { findings: [{ file: M.relative, summary: M.todo, failure_scenario: 'none' }] },
    ],
    ['schedule', 'CronList', {}],
    [
      'monitor',
      'Monitor',
      { command: M.background, description: 'Wait for it', timeout_ms: 5000, persistent: false },
    ],
    ['skill', 'Skill', { skill: 'simplify' }],
    ['plan-worktree', 'EnterWorktree', { name: 'day' }],
    ['mcp', 'mcp__notes__keep', { note: M.note }],
  ],
  codex: [
    ['run', 'exec_command', { cmd: M.command, yield_time_ms: 2000 }],
    ['background', 'exec_command', { cmd: M.background, yield_time_ms: 250, tty: true }],
    ['prepare', 'exec_command', { cmd: PNG, yield_time_ms: 1000 }],
    ['elsewhere', 'exec_command', { cmd: 'pwd', workdir: at('src'), yield_time_ms: 1000 }],
    ['image', 'view_image', { path: at(M.image) }],
    ['write', 'exec_command', { cmd: `apply_patch <<'EOF'\n${added(M.made)}EOF\n`, yield_time_ms: 1000 }],
    [
      'edit',
      'exec_command',
      { cmd: `apply_patch <<'EOF'\n${changed(M.relative)}EOF\n`, yield_time_ms: 1000 },
    ],
    ['write', 'apply_patch', { input: added('src/made/second.ts') }],
    ['todo', 'update_plan', { explanation: 'A plan', plan: [{ step: M.todo, status: 'pending' }] }],
    ['todo', 'create_goal', { objective: M.todo }],
    ['mcp', 'keep', { note: M.note }],
  ],
  'gemini-cli': [
    ['run', 'run_shell_command', { command: M.command, description: 'Print a line' }],
    ['background', 'run_shell_command', { command: M.background, description: 'Wait', is_background: true }],
    ['prepare', 'run_shell_command', { command: PNG }],
    ['elsewhere', 'run_shell_command', { command: 'pwd', dir_path: 'src' }],
    ['read', 'read_file', { file_path: M.path }],
    ['image', 'read_file', { file_path: at(M.image) }],
    ['write', 'write_file', { file_path: at(M.made), content: M.content }],
    [
      'edit',
      'replace',
      { file_path: M.path, instruction: 'Change it', old_string: M.old, new_string: M.new },
    ],
    ['search', 'grep_search', { pattern: M.pattern, dir_path: at('src') }],
    ['list', 'glob', { pattern: M.glob, dir_path: '{{cwd}}' }],
    ['folder', 'list_directory', { dir_path: at('src') }],
    ['fetch', 'web_fetch', { prompt: `Summarise ${M.url}` }],
    ['web', 'google_web_search', { query: M.query }],
    ['todo', 'write_todos', { todos: [{ description: M.todo, status: 'pending' }] }],
    ['topic', 'update_topic', { title: 'A topic', strategic_intent: M.todo }],
    ['mcp', 'mcp_notes_keep', { note: M.note }],
    ['plan', 'enter_plan_mode', { reason: M.todo }],
  ],
  opencode: [
    ['run', 'bash', { command: M.command, description: 'Print a line' }],
    ['prepare', 'bash', { command: PNG, description: 'Make a picture' }],
    ['elsewhere', 'bash', { command: 'pwd', workdir: at('src'), description: 'Where' }],
    ['read', 'read', { filePath: M.path }],
    ['image', 'read', { filePath: at(M.image) }],
    ['write', 'write', { filePath: at(M.made), content: M.content }],
    ['edit', 'edit', { filePath: M.path, oldString: M.old, newString: M.new }],
    ['search', 'grep', { pattern: M.pattern, path: at('src'), include: '*.ts' }],
    ['list', 'glob', { pattern: M.glob, path: '{{cwd}}' }],
    ['fetch', 'webfetch', { url: M.url, format: 'markdown' }],
    ['todo', 'todowrite', { todos: [{ content: M.todo, status: 'pending', priority: 'high' }] }],
    ['mcp', 'notes_keep', { note: M.note }],
  ],
  'qwen-code': [
    ['run', 'run_shell_command', { command: M.command, description: 'Print a line', is_background: false }],
    ['background', 'run_shell_command', { command: M.background, description: 'Wait', is_background: true }],
    ['prepare', 'run_shell_command', { command: PNG, is_background: false }],
    ['elsewhere', 'run_shell_command', { command: 'pwd', directory: at('src'), is_background: false }],
    ['read', 'read_file', { file_path: M.path }],
    ['image', 'read_file', { file_path: at(M.image) }],
    ['write', 'write_file', { file_path: at(M.made), content: M.content }],
    ['edit', 'edit', { file_path: M.path, old_string: M.old, new_string: M.new }],
    ['search', 'grep_search', { pattern: M.pattern, path: at('src') }],
    ['list', 'glob', { pattern: M.glob, path: '{{cwd}}' }],
    ['folder', 'list_directory', { path: at('src') }],
    ['fetch', 'web_fetch', { url: M.url, prompt: 'What does the page say?' }],
    ['todo', 'todo_write', { todos: [{ content: M.todo, status: 'pending', id: '1' }] }],
    ['load', 'tool_search', { query: 'select:mcp__notes__keep,notebook_edit,exit_plan_mode' }],
    ['notebook', 'notebook_edit', { notebook_path: at(M.notebook), cell_id: 'a1', new_source: M.content }],
    ['mcp', 'mcp__notes__keep', { note: M.note }],
  ],
  copilot: [
    ['run', 'bash', { command: M.command, description: 'Print a line', initial_wait: 5, mode: 'sync' }],
    ['background', 'bash', { command: M.background, description: 'Wait', mode: 'async' }],
    ['prepare', 'bash', { command: PNG, description: 'Make a picture', mode: 'sync' }],
    ['read', 'view', { path: M.path }],
    ['image', 'view', { path: at(M.image) }],
    ['write', 'create', { path: at('src/made.ts'), file_text: M.content }],
    ['edit', 'edit', { path: M.path, old_str: M.old, new_str: M.new }],
    ['search', 'grep', { pattern: M.pattern, paths: at('src'), output_mode: 'content', '-n': true }],
    ['list', 'glob', { pattern: M.glob, paths: '{{cwd}}' }],
    ['fetch', 'web_fetch', { url: M.url }],
    ['todo', 'update_todo', { todos: `- [ ] ${M.todo}` }],
    [
      'todo',
      'sql',
      { description: 'Note a step', query: `INSERT INTO todos (id, title) VALUES ('a', '${M.todo}')` },
    ],
    ['docs', 'fetch_copilot_cli_documentation', {}],
    ['mcp', 'notes-keep', { note: M.note }],
  ],
  cline: [
    ['run', 'run_commands', { commands: [M.command] }],
    ['prepare', 'run_commands', { commands: [PNG] }],
    ['read', 'read_files', { files: [{ path: M.path, start_line: null, end_line: null }] }],
    ['image', 'read_files', { files: [{ path: at(M.image), start_line: null, end_line: null }] }],
    ['write', 'editor', { path: at(M.made), new_text: M.content }],
    ['edit', 'editor', { path: M.path, old_text: M.old, new_text: M.new }],
    ['search', 'search_codebase', { queries: [M.pattern] }],
    ['fetch', 'fetch_web_content', { requests: [{ url: M.url, prompt: 'What does the page say?' }] }],
    ['team', 'team_status', {}],
    ['mcp', 'notes__keep', { note: M.note }],
  ],
  pi: [
    ['run', 'bash', { command: M.command }],
    ['prepare', 'bash', { command: PNG }],
    ['read', 'read', { path: M.path }],
    ['image', 'read', { path: at(M.image) }],
    ['write', 'write', { path: at(M.made), content: M.content }],
    ['edit', 'edit', { path: M.path, edits: [{ oldText: M.old, newText: M.new }] }],
  ],
  goose: [
    ['run', 'shell', { command: M.command }],
    ['prepare', 'shell', { command: PNG }],
    ['write', 'write', { path: at(M.made), content: M.content }],
    ['edit', 'edit', { path: M.path, before: M.old, after: M.new }],
    ['folder', 'tree', { path: at('src'), depth: 2 }],
    ['analyze', 'analyze', { path: M.path }],
    ['todo', 'todo__todo_write', { content: M.todo }],
    ['mcp', 'notes__keep', { note: M.note }],
  ],
};

/** Every tool once, and a sub-agent where the agent has them; what changes the mode of the agent comes last. */
export function everyToolStory({ name, subAgent, subAgentEnd = (text) => ({ text }) }) {
  const calls = EVERY_TOOL[name].map(([kind, tool, args]) => ({ kind, tool_calls: [{ name: tool, args }] }));
  const isLast = ({ kind }) => kind.startsWith('plan');
  const story = (list) => list.map(({ tool_calls }) => ({ tool_calls }));
  const delegated =
    subAgent === undefined
      ? []
      : [{ tool_calls: subAgent(M.prompt) }, { when: { prompt: M.prompt }, ...subAgentEnd('SUB_ANSWER') }];
  return [
    ...story(calls.filter((call) => !isLast(call))),
    ...delegated,
    ...story(calls.filter(isLast)),
    { text: 'FINAL_ANSWER' },
  ];
}

/** A short day: files, commands and git as an agent works with them, in its own tools. */
export function dayStory({ name, shell, writeFile }) {
  const own = Object.fromEntries(EVERY_TOOL[name].map(([kind, tool, args]) => [kind, { name: tool, args }]));
  const calls = [
    shell('git status --short && ls'),
    own.read ?? shell(`sed -n '1,80p' ${M.relative}`),
    own.search ?? shell(`grep -rn ${M.old} src`),
    own.list ?? shell("find . -name '*.ts' -not -path './.*'"),
    writeFile('src/limits/limit.ts', 'export const LIMIT = 100;'),
    writeFile('original.txt', 'ORIGINAL_OUTPUT'),
    own.edit,
    shell('mkdir -p build && cat original.txt > build/out.txt && rm -rf build'),
    shell('d=$(mktemp -d) && echo scratch > "$d/a.txt" && cat "$d/a.txt" && rm -r "$d"'),
    shell(
      'git add -A && git -c user.name=Dev -c user.email=dev@example.com commit -qm "limits: a first one; never rm -rf / by hand"',
    ),
    own.todo ?? shell('git log --oneline -3'),
    shell('git switch -c feat/limits && git log --oneline | tee rewritten.txt'),
  ];
  return [...calls.map((call) => ({ tool_calls: [call] })), { text: 'FINAL_ANSWER' }];
}
