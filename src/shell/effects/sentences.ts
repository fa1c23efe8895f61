/**
 * Effects as sentences for a person who has never seen the command: the most serious first, at most three. Pure.
 */
import { visible } from '../../base/index.ts';
import type { Effect, EffectKind } from './effect.ts';
import { inZone, type Zone } from './zones.ts';

const MOST_SENTENCES = 3;
const MOST_NAMED = 3;
const LONGEST_NAME = 60;

type Verb = Readonly<Record<string, string>>;

/** What a verb of a kind reads as; `''` for a verb that is not listed. */
const VERB_PHRASES: Readonly<Partial<Record<EffectKind, Verb>>> = {
  permissions: { '': 'Changes who may use' },
  process: {
    '': 'Ends',
    kill: 'Ends',
    'kill-all': 'Ends every process it may end',
    multiply: 'Starts itself again and again',
  },
  service: {
    '': 'Changes the service',
    stop: 'Stops the service',
    start: 'Starts the service',
    restart: 'Restarts the service',
    network: 'Changes the network or the clock of the machine',
    disable: 'Switches off the service',
    enable: 'Switches on the service',
    delete: 'Removes the service',
    change: 'Changes the service',
    create: 'Adds the service',
  },
  power: {
    '': 'Switches the machine off or restarts it',
    off: 'Switches the machine off',
    restart: 'Restarts the machine',
    suspend: 'Puts the machine to sleep',
    logout: 'Ends the session of a user',
  },
  kernel: {
    '': 'Changes the running kernel',
    change: 'Changes the kernel, the firmware or how the machine starts',
    load: 'Loads a kernel module',
  },
  mount: { '': 'Mounts', unmount: 'Unmounts' },
  disk: {
    '': 'Changes the disk',
    erase: 'Erases the disk',
    write: 'Writes straight to the disk',
    divide: 'Divides the disk anew',
    volume: 'Destroys a volume:',
  },
  account: {
    '': 'Changes the account',
    change: 'Changes the account',
    create: 'Adds the account',
    rights: 'Changes the groups, the password or the shell of the account',
    delete: 'Deletes the account',
    password: 'Changes a password',
  },
  package: {
    '': 'Changes packages:',
    install: 'Installs',
    'remove-all': 'Removes many packages',
    remove: 'Removes the package',
    publish: 'Publishes a package for everybody',
    withdraw: 'Withdraws a published package',
  },
  vcs: {
    '': 'Changes the repository',
    discard: 'Throws away changes that are not committed',
    restore: 'Throws away changes in a few files that are not committed',
    rewrite: 'Rewrites the history of the repository',
    overwrite: 'Replaces history that others may have',
    delete: 'Deletes or moves a branch or tag',
    publish: 'Publishes commits',
  },
  remote: {
    '': 'Changes',
    delete: 'Deletes',
    create: 'Creates',
    change: 'Changes',
    'destroy-all': 'Destroys everything it manages',
  },
  sql: {
    '': 'Changes the database',
    drop: 'Drops from the database:',
    truncate: 'Empties the table',
    delete: 'Deletes every row of',
    update: 'Changes every row of',
    grant: 'Gives all rights to',
  },
  defence: {
    '': 'Switches off a protection',
    firewall: 'Opens or switches off the firewall',
    logs: 'Removes logs',
    history: 'Removes the history of commands',
    audit: 'Switches off auditing',
    tls: 'Does not check who it talks to',
    walls: 'Starts a container that can reach the machine around it',
    access: 'Switches off access control',
  },
};

/** From the most serious; what is not here is not worth a sentence. */
const RANKS: readonly EffectKind[] = [
  'disk',
  'policy',
  'power',
  'delete',
  'sql',
  'remote',
  'defence',
  'vcs',
  'secret',
  'send',
  'run',
  'account',
  'kernel',
  'mount',
  'persist',
  'permissions',
  'process',
  'service',
  'package',
  'privilege',
  'listen',
  'write',
  'receive',
  'read',
];
const AS_ROOT = 'Runs as root.';
const SERIOUS_ZONES: readonly Zone[] = ['home', 'system', 'other-users', 'unknown'];

/** Kinds whose verbs have a phrase each. */
export const PHRASES = VERB_PHRASES;

/** `Deletes ~/Documents and everything in it. Sends .env to example.com. Runs as root.` */
export function sentencesFor(effects: readonly Effect[], most = MOST_SENTENCES): readonly string[] {
  const said = new Map<string, number>();
  for (const effect of effects) {
    const sentence = sentenceFor(effect);
    if (sentence === null || sentence === AS_ROOT) continue;
    const weight = weightOf(effect);
    said.set(sentence, Math.min(weight, said.get(sentence) ?? weight));
  }
  const inOrder = [...said].sort(([, a], [, b]) => a - b);
  const serious = inOrder.filter(([, weight]) => weight < QUIET);
  const chosen = (serious.length > 0 ? serious : inOrder).map(([sentence]) => sentence);
  // What is started by sudo may be judged without it.
  const asRoot = effects.some(({ kind, command }) => kind === 'privilege' || command.elevated);
  return asRoot ? [...chosen.slice(0, most - 1), AS_ROOT] : chosen.slice(0, most);
}

/** Said only if there is nothing else to say. */
const QUIET = 100;

function weightOf({ kind, paths, certainty, from }: Effect): number {
  const unknownProgram = kind === 'run' && certainty === 'possible' && from === 'unknown';
  const quiet = kind === 'read' || kind === 'receive' || unknownProgram || from === 'literal';
  const near =
    (kind === 'delete' || kind === 'write') && !paths.some(({ zone }) => inZone(zone, SERIOUS_ZONES));
  const rank = RANKS.indexOf(kind) + (near ? RANKS.length / 2 : 0) + (certainty === 'certain' ? 0 : 0.5);
  return quiet ? QUIET + rank : rank;
}

function sentenceFor(effect: Effect): string | null {
  const { kind, paths, recursive, certainty, command } = effect;
  const text = ((): string | null => {
    switch (kind) {
      case 'delete': {
        if (command.program === 'find')
          return `Deletes what a search in ${nameText(paths.map(({ path }) => path))} finds`;
        const whole = recursive && paths.some(({ path }) => !/[*?[]/.test(path));
        return `Deletes ${nameText(paths.map(({ path }) => path))}${whole ? ` and everything in ${paths.length === 1 ? 'it' : 'them'}` : ''}`;
      }
      case 'write':
        return `Writes ${nameText(paths.map(({ path }) => path))}`;
      case 'read':
        // That a program may read its operands is nothing to say.
        if (certainty !== 'certain') return null;
        return `Reads ${nameText(paths.map(({ path }) => path))}`;
      case 'send':
        return `Sends ${effect.paths.length === 0 ? 'data' : nameText(paths.map(({ path }) => path))} to ${machines(effect)}`;
      case 'receive':
        return `Downloads from ${machines(effect)}`;
      case 'listen':
        return 'Waits for connections from other machines';
      case 'privilege':
        return AS_ROOT.slice(0, -1);
      case 'run':
        return runSentence(effect);
      case 'secret':
        if (effect.resource === 'variables') return 'Shows all variables, secrets among them';
        if (effect.resource === 'stores') return 'Shows a secret from a store of secrets';
        return paths.length === 0
          ? 'Shows a secret'
          : `Shows the secret in ${nameText(paths.map(({ path }) => path))}`;
      case 'persist':
        if (effect.verb === 'remove') return 'Removes everything that this user has scheduled to run';
        if (effect.verb === 'setting')
          return `Changes a setting that later commands follow: ${nameText(effect.objects)}`;
        return paths.length === 0
          ? 'Arranges for something to run later'
          : `Changes what runs later: ${nameText(paths.map(({ path }) => path))}`;
      case 'policy':
        return paths.length === 0
          ? 'Loosens the policy that guards this agent'
          : `Changes the policy itself: ${nameText(paths.map(({ path }) => path))}`;
      case 'package':
        return packageSentence(effect);
      default: {
        const verbs = VERB_PHRASES[kind]!;
        const objects = paths.length > 0 ? paths.map(({ path }) => path) : effect.objects;
        const said = verbs[effect.verb] ?? `${verbs['']!} (${effect.verb})`;
        if (kind === 'remote' && objects.length === 0)
          return `${said} what ${nameText([command.program])} manages`;
        return objects.length === 0 || NAMELESS.has(kind) ? said : `${said} ${nameText(objects)}`;
      }
    }
  })();
  if (text === null) return null;
  const elsewhere = command.remote && !command.mounted ? ', on another machine' : '';
  return certainty === 'possible' && kind !== 'run'
    ? `Possibly ${text[0]!.toLowerCase()}${text.slice(1)}${elsewhere}.`
    : `${text}${elsewhere}.`;
}

const NAMELESS: ReadonlySet<EffectKind> = new Set(['power', 'vcs', 'defence', 'kernel']);

function packageSentence({ verb, objects }: Effect): string {
  const said = VERB_PHRASES.package![verb] ?? VERB_PHRASES.package!['']!;
  if (verb === 'install' && objects.length === 0) return 'Installs the packages of the project';
  return objects.length === 0 ? said : `${said} ${nameText(objects)}`;
}

function runSentence({ from, resource, objects, certainty }: Effect): string | null {
  if (resource === 'options')
    return `Follows the options in ${nameText(objects)}, which may send, write or run anything`;
  switch (from) {
    case 'download':
      return 'Runs a program from the network that nobody has read';
    case 'decoded':
      return 'Runs a text that is decoded first, so that it cannot be read here';
    case 'input':
      return 'Runs what it reads from its input';
    case 'unknown':
      if (certainty === 'unknown') return 'Runs something that is only known when it runs';
      return objects.length === 0 ? null : `Runs ${nameText(objects)}; Harness does not know what it does`;
    case 'file':
      return objects.length === 0 ? null : `Runs ${nameText(objects)}`;
    case 'literal':
      return `Runs code that stands in the command, with ${nameText(objects)}`;
    default:
      return null;
  }
}

function machines({ hosts }: Effect): string {
  return hosts.length === 0 ? 'another machine' : nameText(hosts);
}

/** Nothing in a name is hidden, and none is longer than a person reads. */
function nameText(words: readonly string[]): string {
  const shown = words.slice(0, MOST_NAMED).map((word) => {
    if (word.includes('{}')) return 'what is found';
    if (/^\$\(+\)+$/.test(word)) return 'something that is only known when it runs';
    const plain = visible(word.replace(/^\/~(?=\/|$)/, '~').replace(/\$\{(\w+)\}/g, '$$$1'));
    return plain.length > LONGEST_NAME ? `${plain.slice(0, LONGEST_NAME)}…` : plain;
  });
  const rest = words.length - shown.length;
  if (rest > 0) return `${shown.join(', ')} and ${rest} more`;
  return shown.length < 2 ? shown.join('') : `${shown.slice(0, -1).join(', ')} and ${shown.at(-1)}`;
}
