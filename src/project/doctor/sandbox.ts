/** What the machine offers to hold programs in, in words and as data. A machine that offers nothing is no fault of the guards. */
import { DEFAULT_LIMITS, limitProblem, type SandboxSupport } from '../../machine/index.ts';

export function sandboxWords(offer: SandboxSupport): string[] {
  const { problem, version, root, groups, filtered } = offer;
  if (problem !== null) return [`none can be made: ${problem}`];
  const limits = limitProblem(offer, DEFAULT_LIMITS);
  const memory = groups.memory === null ? 'memory of each program' : 'memory of all programs together';
  const processes = limits === null ? 'processes' : null;
  const counted = [processes, memory, 'open files', 'size of files', 'processor time'].filter(
    (word) => word !== null,
  );
  return [
    `bubblewrap ${version ?? 'of an unknown version'}, tried${root ? ' as root' : ''}; system calls are ${filtered ? '' : 'not '}filtered`,
    `limits on ${counted.join(', ')}`,
    ...(limits === null ? [] : [limits]),
  ];
}

export function sandboxData(offer: SandboxSupport) {
  const { problem, version, root, groups, filtered } = offer;
  return {
    available: problem === null,
    problem,
    version,
    root,
    filtered,
    limitProblem: problem === null ? limitProblem(offer, DEFAULT_LIMITS) : null,
    memory: problem !== null ? null : groups.memory === null ? 'each program' : 'all together',
  };
}
