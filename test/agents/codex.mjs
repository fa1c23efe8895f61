// Codex, headless, with command hooks in the project and a provider of its own on the Responses API.
import { join } from 'node:path';

const specific = (hookEventName, more) => ({ stdout: { hookSpecificOutput: { hookEventName, ...more } } });

export const codex = {
  name: 'codex',
  packages: { '@openai/codex': '0.166.0' },
  events: { pre: 'PreToolUse', post: 'PostToolUse', prompt: 'UserPromptSubmit', stop: 'Stop' },
  adapter: 'codex',
  // What becomes of a call whose hook ends so, with a text on stderr.
  exitCodes: { 1: 'runs', 2: 'refuses', 127: 'runs' },
  // What it does with a call if the registered line and the guard go together: `policy-line-*`.
  withoutLine: { killed: 'runs', stopped: 'runs' },
  program: 'codex',
  /** `live.mjs` knows one more of its switches. */
  secondSwitch: true,
  // Without a screen it does not say why a prompt was refused: the turn is over at once.
  refusal: ['"type":"turn.completed"'],
  // The model is shown it in a namespace of the server.
  mcpTool: 'keep',
  sendsSubAgentsBack: true,
  // Its models write files by a patch in a command, which it carries out by itself.
  writeFile: (path, content) => {
    const lines = content.trimEnd().split('\n');
    const patch = ['*** Begin Patch', `*** Add File: ${path}`, ...lines.map((line) => `+${line}`)];
    return codex.shell(["apply_patch <<'EOF'", ...patch, '*** End Patch', 'EOF', ''].join('\n'));
  },
  shell: (cmd) => ({ name: 'exec_command', args: { cmd, yield_time_ms: 3000 } }),
  // A sub-agent runs beside the one that started it, and its id is not known to the script: the time to end is a command.
  subAgent: (message) => [{ name: 'spawn_agent', args: { message } }, codex.shell('sleep 4')],
  replies: {
    deny: (reason) => ({
      PreToolUse: specific('PreToolUse', { permissionDecision: 'deny', permissionDecisionReason: reason }),
    }),
    // Its hooks see and rewrite the tool under another name than the model calls it by.
    rewrite: ({ args }) => ({
      PreToolUse: specific('PreToolUse', {
        permissionDecision: 'allow',
        updatedInput: { command: args.cmd },
      }),
    }),
    redact: (text) => ({ PostToolUse: { stdout: { decision: 'block', reason: text } } }),
    context: (text) => ({ PostToolUse: specific('PostToolUse', { additionalContext: text }) }),
    blockPrompt: (reason) => ({ UserPromptSubmit: { exit: 2, stderr: reason } }),
    goOn: (reason) => ({ Stop: { once: true, stdout: { decision: 'block', reason } } }),
  },
  setUp({ cwd, home, url, write, hookLine, mcp, events = Object.values(codex.events) }) {
    const hooks = events.map((event) => [
      event,
      [{ matcher: '.*', hooks: [{ type: 'command', command: hookLine(event), timeout: 10 }] }],
    ]);
    if (events.length > 0) write(join(cwd, '.codex/hooks.json'), { hooks: Object.fromEntries(hooks) });
    const config = [
      'model = "gpt-5-codex"',
      'model_provider = "scripted"',
      'approval_policy = "never"',
      'sandbox_mode = "danger-full-access"',
      'check_for_update_on_startup = false',
      // Otherwise it looks for plugins on a network that is not there, and waits for that before it ends.
      '[features]',
      'plugins = false',
      '[analytics]',
      'enabled = false',
      '[model_providers.scripted]',
      'name = "scripted"',
      `base_url = "${url}/v1"`,
      'env_key = "SCRIPTED_KEY"',
      'wire_api = "responses"',
      'request_max_retries = 2',
      'stream_max_retries = 2',
      `[projects."${cwd}"]`,
      'trust_level = "trusted"',
      ...(mcp === undefined
        ? []
        : ['[mcp_servers.notes]', `command = "${mcp.command}"`, `args = ${JSON.stringify(mcp.args)}`]),
    ];
    write(join(home, '.codex/config.toml'), `${config.join('\n')}\n`);
  },
  command: ({ modules, prompt, home, guarded }) => ({
    argv: [
      join(modules, '@openai/codex-linux-x64/vendor/x86_64-unknown-linux-musl/bin/codex'),
      ...['exec', '--json', '--skip-git-repo-check'],
      // What `install` wrote has to do without.
      ...(guarded ? [] : ['--dangerously-bypass-hook-trust']),
      prompt,
    ],
    env: { SCRIPTED_KEY: 'dummy', CODEX_HOME: join(home, '.codex') },
  }),
};
