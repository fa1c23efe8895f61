// An OpenCode plugin that hands its in-process hooks to the recording command hook. HOOK_ARGV is that command as JSON.
import { spawnSync } from 'node:child_process';

const [program, ...args] = JSON.parse(process.env.HOOK_ARGV ?? '[]');

function ask(event, payload) {
  const { status, stdout, stderr } = spawnSync(program, [...args, event], {
    input: JSON.stringify(payload),
    encoding: 'utf8',
    timeout: 5000,
  });
  if (status !== 0) throw new Error(stderr);
  return stdout === '' ? {} : JSON.parse(stdout);
}

export const Bridge = async () => ({
  'chat.message': async (input, output) => {
    ask('chat.message', { input, output });
  },
  'tool.execute.before': async (input, output) => {
    // The arguments are read again from the same object: a new one would be ignored.
    Object.assign(output.args, ask('tool.execute.before', { input, output }).args);
  },
  'tool.execute.after': async (input, output) => {
    output.output = ask('tool.execute.after', { input, output }).output ?? output.output;
  },
});
