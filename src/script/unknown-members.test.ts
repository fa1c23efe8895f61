import { describe, expect, it } from 'vitest';
import { decideScript, hookFile, loadHooks } from '../../test/support/temp-project.ts';

const problems = async (line: string) => {
  const { problems: found } = await loadHooks({
    x: hookFile(`def handle(event, payload):\n    ${line}\n    return allow()`),
  });
  return found.map(({ code, message, position }) => `${position?.line} ${code} ${message}`);
};

describe('a name that a module does not have', () => {
  it.each([
    ['re.sub("a", "b", "c")', 're has no sub: use re.replace(pattern, replacement, text)'],
    ['ctx.agent.delegate("x")', 'ctx has no agent: who acts is in `caller` and `actor`'],
    ['os.args()', 'os has no args: the arguments of the process are its own'],
    [
      'os.getenv("X")',
      'os has no getenv: scripts know os.cwd, os.hostname, os.leaves_workspace, os.platform and os.real_path',
    ],
    ['log.debug("x")', 'log has no debug'],
    ['metrics.inc("x")', 'metrics has no inc (did you mean incr?)'],
    ['f = lambda: [cache.gett(k) for k in []]', 'cache has no gett (did you mean get?)'],
  ])('%s is a mistake when the script is read', async (line, message) => {
    const [problem, ...others] = await problems(line);
    expect(problem).toContain(`5 SCRIPT_INVALID ${message}`.slice(2));
    expect(others).toEqual([]);
  });

  it('a variable of the script with the name of a module is not one', async () => {
    expect(await problems('re = struct(sub = 1)\n    log.info(str(re.sub))')).toEqual([]);
  });
});

describe('os', () => {
  it('tells the system, the machine and the folder', async () => {
    const { outcome } = await decideScript(
      'def handle(event, payload):\n    return block(os.platform() + "|" + os.cwd() + "|" + str(len(os.hostname()) > 0))',
    );
    expect(outcome.reason).toBe(`${process.platform === 'win32' ? 'windows' : process.platform}||True`);
  });
});
