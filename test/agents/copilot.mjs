// GitHub Copilot CLI, headless and in its offline mode, with a provider of one's own on Chat Completions. Its own names of events.
import { mkdirSync, symlinkSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';

export const copilot = {
  name: 'copilot',
  packages: { '@github/copilot': '1.0.102' },
  events: { pre: 'preToolUse', post: 'postToolUse', prompt: 'userPromptSubmitted', stop: 'agentStop' },
  adapter: 'copilot',
  // What becomes of a call whose hook ends so, with a text on stderr.
  exitCodes: { 1: 'refuses', 2: 'refuses', 127: 'refuses' },
  // What it does with a call if the registered line and the guard go together: `policy-line-*`.
  withoutLine: { killed: 'refuses', stopped: 'runs' },
  program: 'copilot',
  mcpTool: 'notes-keep',
  alsoReads: ['claude-code'],
  // At its first start, after us.
  writesItself: 'home/.copilot/config.json',
  // A prompt cannot be refused: it is replaced by the reason.
  promptGoesOn: true,
  rewritesPrompts: true,
  writeFile: (path, content) => ({ name: 'create', args: { path: `{{cwd}}/${path}`, file_text: content } }),
  subAgent: (prompt) => [
    {
      name: 'task',
      args: { description: 'a test', prompt, agent_type: 'general-purpose', name: 'test', mode: 'sync' },
    },
  ],
  shell: (command) => ({
    name: 'bash',
    args: { command, description: 'a test', initial_wait: 5, mode: 'sync' },
  }),
  replies: {
    deny: (reason) => ({
      preToolUse: { stdout: { permissionDecision: 'deny', permissionDecisionReason: reason } },
    }),
    rewrite: ({ args }) => ({ preToolUse: { stdout: { permissionDecision: 'allow', modifiedArgs: args } } }),
    redact: (text) => ({
      postToolUse: { stdout: { modifiedResult: { textResultForLlm: text, resultType: 'success' } } },
    }),
    context: (text) => ({ postToolUse: { stdout: { additionalContext: text } } }),
    goOn: (reason) => ({ agentStop: { once: true, stdout: { decision: 'block', reason } } }),
  },
  setUp({ cwd, home, modules, write, hookLine, mcp, events = Object.values(copilot.events) }) {
    const hooks = events.map((event) => [
      event,
      [{ type: 'command', bash: hookLine(event), timeoutSec: 10 }],
    ]);
    if (hooks.length > 0) {
      write(join(cwd, '.github/hooks/recording.json'), { version: 1, hooks: Object.fromEntries(hooks) });
    }
    // It unpacks itself into its home when it starts, which takes longer than all the rest.
    mkdirSync(join(home, '.cache/copilot'), { recursive: true });
    mkdirSync(join(dirname(modules), 'unpacked'), { recursive: true });
    symlinkSync(join(dirname(modules), 'unpacked'), join(home, '.cache/copilot/pkg'));
    if (mcp !== undefined) {
      const notes = { type: 'local', tools: ['*'], ...mcp };
      write(join(home, '.copilot/mcp-config.json'), { mcpServers: { notes } });
    }
  },
  /** It writes this file when it is started for the first time, and ends without a word where it cannot. */
  startedBefore({ cwd, home }) {
    const known = { trustedFolders: [cwd], firstLaunchAt: '2026-03-11T00:00:00.000Z' };
    const head = '// User settings belong in settings.json.\n// This file is managed automatically.\n';
    writeFileSync(join(home, '.copilot/config.json'), head + JSON.stringify(known, null, 2));
  },
  command: ({ modules, prompt, url, guarded }) => ({
    argv: [
      join(modules, '@github/copilot-linux-x64/copilot'),
      ...['-p', prompt, '--allow-all-tools', '--no-auto-update', '--output-format', 'json'],
      // What `install` wrote has to do without.
      ...(guarded ? [] : ['--trust-folder']),
    ],
    env: {
      COPILOT_OFFLINE: 'true',
      COPILOT_PROVIDER_BASE_URL: `${url}/v1`,
      COPILOT_PROVIDER_TYPE: 'openai',
      COPILOT_PROVIDER_API_KEY: 'dummy',
      COPILOT_MODEL: 'scripted',
      COPILOT_AUTO_UPDATE: 'false',
    },
  }),
};
