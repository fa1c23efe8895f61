// Claude Code, headless, with command hooks in the project's settings.
import { join } from 'node:path';

const specific = (hookEventName, more) => ({ stdout: { hookSpecificOutput: { hookEventName, ...more } } });

export const claudeCode = {
  name: 'claude-code',
  packages: { '@anthropic-ai/claude-code': '2.1.325' },
  events: { pre: 'PreToolUse', post: 'PostToolUse', prompt: 'UserPromptSubmit', stop: 'Stop' },
  shell: (command) => ({ name: 'Bash', args: { command, description: 'a test' } }),
  /** Our adapter for it, and the events a policy is registered for. */
  adapter: 'claude-code',
  // What becomes of a call whose hook ends so, with a text on stderr.
  exitCodes: { 1: 'runs', 2: 'refuses', 127: 'runs' },
  // What it does with a call if the registered line and the guard go together: `policy-line-*`.
  withoutLine: { killed: 'refuses', stopped: 'refuses' },
  program: 'claude',
  /** `live.mjs` knows one more of its switches. */
  secondSwitch: true,
  // Without a screen it does not say why a hook ended the run.
  stopped: ['"terminal_reason":"hook_stopped"'],
  /** It asks its user by itself unless a tool is allowed. */
  ownPermissions: true,
  sendsSubAgentsBack: true,
  mcpTool: 'mcp__notes__keep',
  writeFile: (path, content) => ({ name: 'Write', args: { file_path: `{{cwd}}/${path}`, content } }),
  subAgent: (prompt) => [
    {
      name: 'Agent',
      args: { description: 'a test', prompt, subagent_type: 'general-purpose', run_in_background: false },
    },
  ],
  replies: {
    deny: (reason) => ({
      PreToolUse: specific('PreToolUse', { permissionDecision: 'deny', permissionDecisionReason: reason }),
    }),
    rewrite: ({ args }) => ({
      PreToolUse: specific('PreToolUse', { permissionDecision: 'allow', updatedInput: args }),
    }),
    redact: (text) => ({
      PostToolUse: specific('PostToolUse', {
        updatedToolOutput: { stdout: text, stderr: '', interrupted: false, isImage: false },
      }),
    }),
    context: (text) => ({ PostToolUse: specific('PostToolUse', { additionalContext: text }) }),
    blockPrompt: (reason) => ({ UserPromptSubmit: { exit: 2, stderr: reason } }),
    goOn: (reason) => ({ Stop: { once: true, stdout: { decision: 'block', reason } } }),
  },
  setUp({
    cwd,
    home,
    write,
    hookLine,
    events = Object.values(claudeCode.events),
    allow = ['Bash', 'Agent', 'Write', 'mcp__notes'],
    mcp,
    root,
  }) {
    if (mcp !== undefined) write(join(root, 'mcp.json'), { mcpServers: { notes: mcp } });
    const hooks = events.map((event) => [
      event,
      [{ matcher: '*', hooks: [{ type: 'command', command: hookLine(event), timeout: 10 }] }],
    ]);
    write(join(cwd, '.claude/settings.json'), {
      permissions: { allow },
      ...(hooks.length > 0 && { hooks: Object.fromEntries(hooks) }),
    });
    const projects = { [cwd]: { hasTrustDialogAccepted: true } };
    write(join(home, '.claude.json'), { hasCompletedOnboarding: true, projects });
  },
  command: ({ modules, prompt, url, mcp, root }) => ({
    argv: [
      join(modules, '@anthropic-ai/claude-code-linux-x64/claude'),
      ...['-p', prompt, '--output-format', 'json', '--max-turns', '60'],
      ...(mcp === undefined ? [] : ['--mcp-config', join(root, 'mcp.json')]),
    ],
    env: {
      ANTHROPIC_BASE_URL: url,
      ANTHROPIC_API_KEY: 'dummy',
      ANTHROPIC_MODEL: 'claude-test',
      CLAUDE_CODE_DISABLE_NONESSENTIAL_TRAFFIC: '1',
      DISABLE_AUTOUPDATER: '1',
    },
  }),
};
