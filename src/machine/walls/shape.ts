/**
 * A sandbox as people write it: in `harness.md`, in the front matter of a tool, and in what a hook answers. Described once;
 * paths stay as they are written, so that what is on record means the same on another machine.
 */
import { either, flag, integer, type ObjectOf, oneOf, optional, strictMap, texts } from '../../base/index.ts';

/** From the least to the most. */
export const NETWORKS = ['off', 'allowed', 'open'] as const;
export type Network = (typeof NETWORKS)[number];

export const WORKSPACES = ['read-only', 'writable'] as const;

const LARGEST = Number.MAX_SAFE_INTEGER;
const limit = (doc: string) => integer(doc, { min: 0, max: LARGEST });

export const LIMIT_FIELDS = {
  processes: optional(
    limit('Processes and threads at one time; 0: as many as the machine has room for.'),
    '512',
  ),
  memory_mb: optional(
    limit(
      'Memory, of each program; of all together where the machine can count that (see `harness doctor`). 0: no limit.',
    ),
    '4096',
  ),
  file_mb: optional(limit('The largest file a program may write. 0: no limit.'), '2048'),
  open_files: optional(limit('Files one program may have open. 0: as outside.'), '4096'),
  cpu_seconds: optional(limit('Seconds of the processor, of each program. 0: no limit.'), '0'),
  scratch_mb: optional(
    limit('What `/tmp` and the empty home folder hold, each. 0: as much as half of the memory.'),
    '512',
  ),
};

export const SANDBOX_FIELDS = {
  workspace: optional(oneOf('Whether programs may write in the workspace.', WORKSPACES), 'writable'),
  writable: optional(
    texts('Folders and files programs may write beside it: absolute, `~/…`, or relative to the workspace.'),
    'none',
  ),
  readable: optional(
    texts('Folders and files of the home folder and elsewhere that programs may read.'),
    'the system and the workspace',
  ),
  hidden: optional(texts('Folders and files that are not there for programs.'), 'what holds credentials'),
  network: optional(
    oneOf(
      '`off`; `allowed`: through a proxy that knows `network.allowed_domains`, for programs that honour `HTTPS_PROXY`; `open`: as outside.',
      NETWORKS,
    ),
    'off',
  ),
  limits: optional(strictMap('What programs may use.', LIMIT_FIELDS), 'those below'),
};

export const SANDBOX = either(
  'Programs that tools, `exec` and command hooks start run inside: the workspace and the system are all they see. Of several layers, each can only tighten.',
  flag(''),
  strictMap('', SANDBOX_FIELDS),
);

export type WrittenSandbox = ObjectOf<typeof SANDBOX_FIELDS>;
