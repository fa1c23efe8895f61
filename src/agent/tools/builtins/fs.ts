/**
 * `fs`: text files of the workspace. Whatever a tool changes is reported, so that `file.edited` fires for it.
 */
import {
  builtin,
  fail,
  List,
  Module,
  StarlarkError,
  type Thread,
  type Value,
  wantBool,
  wantString,
} from '../../../starlark/index.ts';
import { type ToolScriptCall, toolCallOf } from '../script-call.ts';
import { findPaths } from '../walk.ts';
import { FileFault } from '../workspace.ts';

const FLAGS = { pure: false, async: true };

type Work = (call: ToolScriptCall, thread: Thread) => Promise<Value>;

/** What a look at a file costs, so that a loop over files looks at the clock in time. */
const STEPS_PER_FILE = 500;

/** Runs file work for a script: its faults become errors of the script that begin with the built-in's name. */
async function perform(thread: Thread, fn: string, work: Work): Promise<Value> {
  const call = toolCallOf(thread);
  try {
    const value = await work(call, thread);
    // A call that was given up meanwhile ends here, not at its next loop.
    thread.spend(STEPS_PER_FILE);
    return value;
  } catch (thrown) {
    if (thrown instanceof StarlarkError) throw thrown;
    if (thrown instanceof FileFault) return fail(`${fn}: ${thrown.message}`);
    throw thrown;
  }
}

async function edited(call: ToolScriptCall, path: string): Promise<void> {
  call.context.fileEdited(await call.workspace.name(path));
}

function text(thread: Thread, made: string): string {
  thread.charge(2 * made.length);
  return made;
}

function names(thread: Thread, made: readonly string[]): List {
  thread.spend(made.length);
  thread.charge(made.reduce((sum, name) => sum + 16 + 2 * name.length, 0));
  return new List([...made]);
}

const FUNCTIONS = [
  builtin(
    'fs.read',
    'path',
    (thread, path) => {
      const at = wantString('fs.read', 'path', path);
      return perform(thread, 'fs.read', async (call) => text(thread, await call.workspace.read(at)));
    },
    FLAGS,
  ),
  builtin('fs.write', 'path, content', writer('fs.write', 'write'), FLAGS),
  builtin('fs.append', 'path, content', writer('fs.append', 'append'), FLAGS),
  builtin(
    'fs.list',
    'path="."',
    (thread, path) => {
      const at = wantString('fs.list', 'path', path);
      return perform(thread, 'fs.list', async (call) => names(thread, await call.workspace.list(at)));
    },
    FLAGS,
  ),
  builtin(
    'fs.glob',
    'pattern',
    (thread, pattern) => {
      const wanted = wantString('fs.glob', 'pattern', pattern);
      return perform(thread, 'fs.glob', async (call) =>
        names(thread, await findPaths(call.workspace, wanted, () => thread.spend(1))),
      );
    },
    FLAGS,
  ),
  builtin(
    'fs.exists',
    'path',
    (thread, path) => {
      const at = wantString('fs.exists', 'path', path);
      return perform(thread, 'fs.exists', (call) => call.workspace.exists(at));
    },
    FLAGS,
  ),
  builtin(
    'fs.remove',
    'path, recursive=False',
    (thread, path, recursive) => {
      const at = wantString('fs.remove', 'path', path);
      const all = wantBool('fs.remove', 'recursive', recursive);
      return perform(thread, 'fs.remove', async (call) => {
        await call.workspace.remove(at, all);
        await edited(call, at);
        return null;
      });
    },
    FLAGS,
  ),
  builtin(
    'fs.move',
    'source, target',
    (thread, source, target) => {
      const from = wantString('fs.move', 'source', source);
      const to = wantString('fs.move', 'target', target);
      return perform(thread, 'fs.move', async (call) => {
        await call.workspace.move(from, to);
        await edited(call, from);
        await edited(call, to);
        return null;
      });
    },
    FLAGS,
  ),
  builtin(
    'fs.mkdir',
    'path',
    (thread, path) => {
      const at = wantString('fs.mkdir', 'path', path);
      return perform(thread, 'fs.mkdir', async (call) => {
        await call.workspace.mkdir(at);
        return null;
      });
    },
    FLAGS,
  ),
];

function writer(fn: string, how: 'write' | 'append') {
  return (thread: Thread, path: Value, content: Value): Promise<Value> => {
    const at = wantString(fn, 'path', path);
    const given = wantString(fn, 'content', content);
    return perform(thread, fn, async (call) => {
      await call.workspace[how](at, given);
      await edited(call, at);
      return null;
    });
  };
}

export const FS = new Module(
  'fs',
  new Map<string, Value>(FUNCTIONS.map((one) => [one.name.slice('fs.'.length), one])),
);
