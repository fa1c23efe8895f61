/**
 * Classes of verbs: what a sub-command of a program does, by its name. So a program without a row still has its verbs read.
 */

export type VerbClass = 'delete' | 'create' | 'change' | 'read' | 'other';

const CLASSES: Readonly<Record<VerbClass, string>> = {
  delete: `delete del rm remove destroy purge drop terminate erase wipe prune deregister revoke expunge nuke teardown undeploy
    uninstall unpublish truncate flush flushall flushdb deleteall removeall rmi rb obliterate annihilate eradicate
    decommission deprovision deallocate dismantle unprovision`,
  create:
    'create add new make register provision launch allocate import clone copy cp upload push deploy install init bootstrap',
  change: `update set edit patch apply replace modify put scale reset restart stop start kill enable disable rename move mv attach
    detach resize rotate rollback restore promote demote drain cordon taint suspend resume pause upgrade migrate sync annotate
    label tag untag merge close reopen transfer change assign unassign lock unlock cancel`,
  read: `get list ls show describe status view info search find logs log help version print inspect diff plan validate check
    test ping whoami login logout cat head tail tree stat top history config-list wait watch completion doctor lint preview
    output outputs format fmt graph explain export download pull fetch query count events env ps docs template auth`,
  // What follows is a name of the project's own.
  other: 'run exec start-dev dev serve build compile x script task',
};

const BY_WORD: ReadonlyMap<string, VerbClass> = new Map(
  Object.entries(CLASSES).flatMap(([name, words]) =>
    words
      .trim()
      .split(/\s+/)
      .map((word) => [word, name as VerbClass] as const),
  ),
);
const DEEPEST_VERB = 4;

/** The class of one word: `delete-bucket`, `apps:destroy` and `deleteMany` are deletes. */
export function verbClass(word: string): VerbClass | undefined {
  const whole = BY_WORD.get(word.toLowerCase());
  if (whole !== undefined) return whole;
  if (!/^[A-Za-z][\w:.-]*$/.test(word) || word.length > 40) return undefined;
  const last = word.slice(word.lastIndexOf(':') + 1);
  const first = /^[a-z]+|^[A-Z][a-z]+/.exec(last)?.[0] ?? '';
  // `delete-bucket`, and not a name that happens to begin so.
  if (first === last && !word.includes(':')) return undefined;
  return BY_WORD.get(first.toLowerCase());
}

export interface FoundVerb {
  readonly word: string;
  readonly verb: VerbClass;
  /** Which operand it is. */
  readonly at: number;
}

/** The first operand that is a verb. */
export function verbIn(operands: readonly string[]): FoundVerb | null {
  for (const [at, word] of operands.slice(0, DEEPEST_VERB).entries()) {
    const verb = verbClass(word);
    if (verb !== undefined) return { word, verb, at };
  }
  return null;
}
