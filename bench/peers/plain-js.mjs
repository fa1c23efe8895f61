// The governed stack as a person would write it by hand in JavaScript: the yardstick of the table.
const DANGEROUS = ['rm -rf /', ':(){ :|:& };:', 'mkfs', 'dd if=', 'shutdown'];
const PATH_TOOLS = new Set(['read_file', 'write_file', 'edit_file']);
const WRITE_TOOLS = new Set(['write_file', 'edit_file']);

const metrics = new Map();
const logs = [];
const incr = (name) => metrics.set(name, (metrics.get(name) ?? 0) + 1);

function deny(hook, reason) {
  incr('audit.policy.deny');
  return { action: 'block', reason, hook };
}

export function decide(text) {
  const payload = JSON.parse(text);
  const name = payload.name;
  incr('audit.tool.pre');
  logs.push({ level: 'info', message: `tool ${name}` });
  if (logs.length > 1000) logs.length = 0;
  if (name === 'run_command') {
    const command = payload.args?.command ?? '';
    for (const pattern of DANGEROUS) {
      if (command.includes(pattern))
        return deny('command_guard', `dangerous command pattern blocked: '${pattern}'`);
    }
  }
  if (PATH_TOOLS.has(name)) {
    const path = payload.args?.path ?? '';
    if (path.startsWith('/') || path.split('/').includes('..')) {
      return deny('path_guard', `path leaves the workspace: '${path}'`);
    }
  }
  if (name === 'exec') return deny('prefer_named_tools', 'raw exec is not available; use run_command');
  if (WRITE_TOOLS.has(name)) {
    const path = payload.args?.path ?? '';
    if (path.startsWith('.harness/')) {
      return deny('meta_tool_guard', `the harness is not edited by its agent: '${path}'`);
    }
  }
  return { action: 'allow', reason: null, hook: null };
}

export const prepare = async () => decide;
