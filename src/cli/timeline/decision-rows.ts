/**
 * What the hooks said about one event, as rows: the decision with its hook and reason, whoever was asked before, what was
 * rewritten, left for the model, ignored or failed. A plain allow is silent except around tools.
 */
import type { Json } from '../../base/json.ts';
import { isJsonObject } from '../../base/json.ts';
import type { Effect, Outcome, TraceEntry } from '../../events/decision.ts';
import { BUILT_IN } from '../../hooks/layer.ts';
import type { Style } from '../output.ts';
import { cut } from './fit.ts';
import type { Row } from './row.ts';

const NOTE = { lines: 3, characters: 300 };

const VERDICTS: Readonly<Record<Outcome['action'], { sign: string; style: Style; word: string }>> = {
  allow: { sign: '✓', style: 'dim', word: 'allowed' },
  permit: { sign: '✓', style: 'green', word: 'permitted' },
  modify: { sign: '~', style: 'yellow', word: 'rewritten' },
  ask: { sign: '?', style: 'yellow', word: 'held back for approval' },
  delegate: { sign: '→', style: 'cyan', word: 'handed over' },
  block: { sign: '✗', style: 'red', word: 'blocked' },
};

/** Where another word than "blocked" says better what a block does. */
const BLOCK_WORDS: Readonly<Record<string, string>> = {
  'agent.stop': 'sent back',
  'tool.post': 'result hidden',
  'completion.post': 'answer thrown away',
};

export function whatHooksSaid(outcome: Outcome, before: Json): Row[] {
  return [...verdict(outcome, before), ...remarks(outcome), ...leftBehind(outcome)];
}

/** Whether the chain had nothing to say: nobody decided, failed, was ignored or left anything for the model. */
export function isPlainAllow(outcome: Outcome): boolean {
  return (
    outcome.action === 'allow' &&
    outcome.failure === undefined &&
    outcome.trace.every(isQuiet) &&
    !outcome.effects.some((effect) => FOR_THE_MODEL.has(effect.kind))
  );
}

const FOR_THE_MODEL: ReadonlySet<Effect['kind']> = new Set(['reminder', 'context', 'output']);

function isQuiet(entry: TraceEntry): boolean {
  return (
    entry.failure === null &&
    entry.state !== 'condition_failed' &&
    entry.vetoIgnored === undefined &&
    (entry.decision === null || entry.decision === 'allow') &&
    entry.warnings.length === 0
  );
}

function verdict(outcome: Outcome, before: Json): Row[] {
  const { event, action, hook, trace } = outcome;
  const { sign, style, word } = VERDICTS[action];
  const asked = authored(trace)
    .filter((entry) => entry.state === 'ran')
    .map((entry) => entry.hook);
  const label = `${sign} ${event.padEnd(9)}`;
  if (action === 'allow') {
    const isTool = event === 'tool.pre' || event === 'tool.post';
    if (!isTool || asked.length === 0) return [];
    return [{ kind: 'remark', label, style, text: `${word}; asked ${asked.join(', ')}` }];
  }
  const said = action === 'block' ? (BLOCK_WORDS[event] ?? word) : word;
  const why = action === 'modify' ? rewrites(outcome, before) : (outcome.reason ?? '');
  const by = hook === null ? '' : ` by ${hook}`;
  const main: Row = { kind: 'remark', label, style, text: `${said}${by}${why === '' ? '' : `: ${why}`}` };
  const others = asked.filter((name) => name !== hook);
  const unreached = authored(trace)
    .filter((entry) => entry.state === 'unreached')
    .map((entry) => entry.hook);
  const rest = [
    others.length === 0 ? '' : `asked too: ${others.join(', ')}`,
    unreached.length === 0 ? '' : `not asked any more: ${unreached.join(', ')}`,
  ].filter((part) => part !== '');
  if (rest.length === 0) return [main];
  return [
    main,
    { kind: 'remark', label: ' '.repeat([...label].length), style: 'dim', text: rest.join('; ') },
  ];
}

/** The built-in hooks stand at the end of every chain: that they were asked, or not reached, says nothing. */
function authored(trace: readonly TraceEntry[]): readonly TraceEntry[] {
  return trace.filter((entry) => entry.layer !== BUILT_IN.name);
}

/**
 * Which parts of the payload are different now. Old values may be what a hook took out, so only new ones are shown, and
 * those of results below.
 */
function rewrites({ event, payload: after }: Outcome, before: Json): string {
  if (typeof after === 'string') return cut(after, NOTE);
  const changed = changes(before, after).filter(({ path }) => !DERIVED[event]?.test(path));
  const shown = changed.slice(0, MOST_CHANGES).map(({ path, value }) => {
    const isArgument = event === 'tool.pre' && value !== undefined;
    return isArgument ? `${path} is now ${cut(JSON.stringify(value), VALUE)}` : path;
  });
  const rest = changed.length - shown.length;
  return rest > 0 ? `${shown.join(', ')} and ${rest} more` : shown.join(', ');
}

const MOST_CHANGES = 6;
const VALUE = { lines: 1, characters: 80 };

/** The other form of something that is in the payload already. */
const DERIVED: Readonly<Record<string, RegExp>> = { 'tool.pre': /^arguments$/, 'tool.post': /^result\b/ };

interface Change {
  readonly path: string;
  /** Absent where it was taken out. */
  readonly value?: Json;
}

/** Payloads are nested 512 levels at most, so recursion is safe here. */
function changes(before: Json, after: Json, path = ''): Change[] {
  if (!isJsonObject(before) || !isJsonObject(after)) {
    return JSON.stringify(before) === JSON.stringify(after) ? [] : [{ path, value: after }];
  }
  const keys = new Set([...Object.keys(before), ...Object.keys(after)]);
  return [...keys].flatMap((key) => {
    const inner = path === '' ? key : `${path}.${key}`;
    const one = before[key];
    const two = after[key];
    if (two === undefined) return [{ path: inner }];
    return one === undefined ? [{ path: inner, value: two }] : changes(one, two, inner);
  });
}

function remarks(outcome: Outcome): Row[] {
  return outcome.trace.flatMap((entry) => {
    const rows: Row[] = [];
    const say = (text: string) =>
      rows.push({ kind: 'remark', label: `! ${outcome.event.padEnd(9)}`, style: 'yellow', text });
    if (entry.failure !== null) {
      const then = {
        blocked: 'so it blocks',
        allowed: 'and the operation goes on',
        threw: 'and fails the operation',
      };
      const what = entry.onFailure === undefined ? '' : ` (${entry.failure.kind}), ${then[entry.onFailure]}`;
      say(`${entry.hook} failed${what}: ${cut(entry.failure.message, NOTE)}`);
    }
    if (entry.state === 'condition_failed') say(`the condition of ${entry.hook} raised, so it was not asked`);
    // In mode warn the reminder says it.
    if (entry.vetoIgnored !== undefined && entry.mode !== 'warn') {
      const reason = entry.reason === null ? '' : ` (${entry.reason})`;
      say(`${entry.hook} said ${entry.decision}${reason}, which does not count: ${entry.vetoIgnored}`);
    }
    // Whatever made the deciding hook decide is in its reason.
    if (entry.hook !== outcome.hook) for (const warning of entry.warnings) say(`${entry.hook}: ${warning}`);
    return rows;
  });
}

function leftBehind(outcome: Outcome): Row[] {
  return outcome.effects.flatMap((effect) => {
    const text = effectText(effect);
    return text === null ? [] : [{ kind: 'remark' as const, label: '+', style: 'cyan' as const, text }];
  });
}

/** Counters and ordinary log lines are left to the summary. */
function effectText(effect: Effect): string | null {
  switch (effect.kind) {
    case 'reminder':
      return `${effect.hook} reminds the model: ${cut(effect.reminder.body, NOTE)}`;
    case 'context':
      return `${effect.hook} adds for the model: ${cut(effect.text, NOTE)}`;
    case 'output':
      return `${effect.hook}: ${cut(effect.text, NOTE)}`;
    case 'log':
      return effect.level === 'info' ? null : `${effect.hook} logs: ${cut(effect.message, NOTE)}`;
    case 'metric':
    case 'annotate':
      return null;
  }
}
