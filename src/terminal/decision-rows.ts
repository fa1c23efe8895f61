/**
 * What the hooks said about one event, as rows: the decision with its hook and reason, the hooks that asked before, what was
 * rewritten, left for the model, ignored or failed. A plain allow is silent except around tools.
 */
import type { Json } from '../base/index.ts';
import {
  type Action,
  changes,
  type Description,
  describeOutcome,
  type Effect,
  type Outcome,
  type Remark,
} from '../engine/index.ts';
import { cut } from './fit.ts';
import { ACTION_STYLES } from './outcome.ts';
import type { Row } from './row.ts';

const NOTE = { lines: 3, characters: 300 };

const SIGNS: Readonly<Record<Action, string>> = {
  allow: '✓',
  permit: '✓',
  modify: '~',
  ask: '?',
  delegate: '→',
  block: '✗',
};

export function hookRows(outcome: Outcome, before: Json): Row[] {
  const description = describeOutcome(outcome);
  return [
    ...verdict(outcome, description, before),
    ...description.remarks.flatMap((remark) => remarkRows(remark, outcome)),
    ...attachmentRows(outcome),
  ];
}

function verdict(outcome: Outcome, description: Description, before: Json): Row[] {
  const { event, action, hook, asked, unreached, word } = description;
  const label = `${SIGNS[action]} ${event.padEnd(9)}`;
  if (action === 'allow') {
    const isTool = event === 'tool.pre' || event === 'tool.post';
    if (!isTool || asked.length === 0) return [];
    return [{ kind: 'remark', label, style: 'dim', text: `${word}; ran ${asked.join(', ')}` }];
  }
  const why = action === 'modify' ? rewrites(outcome, before) : (description.reason ?? '');
  const by = hook === null ? '' : ` by ${hook}`;
  const text = `${word}${by}${why === '' ? '' : `: ${why}`}`;
  const main: Row = { kind: 'remark', label, style: ACTION_STYLES[action], text };
  const others = asked.filter((name) => name !== hook);
  const rest = [
    others.length === 0 ? '' : `also ran: ${others.join(', ')}`,
    unreached.length === 0 ? '' : `skipped: ${unreached.join(', ')}`,
  ].filter((part) => part !== '');
  if (rest.length === 0) return [main];
  return [
    main,
    { kind: 'remark', label: ' '.repeat([...label].length), style: 'dim', text: rest.join('; ') },
  ];
}

/**
 * Which parts of the payload are different now. Old values may be what a hook took out, so only new ones are shown, and
 * those of results below.
 */
function rewrites({ event, payload: after }: Outcome, before: Json): string {
  if (typeof after === 'string') return cut(after, NOTE);
  const changed = changes(before, after).filter(({ path }) => !DERIVED[event]?.test(path));
  const shown = changed.slice(0, MOST_CHANGES).map(({ path, after: value }) => {
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

const FAILURE_CONSEQUENCE = {
  blocked: 'so it blocks',
  allowed: 'and the operation goes on',
  threw: 'and fails the operation',
} as const;

function remarkRows(remark: Remark, outcome: Outcome): Row[] {
  const text = remarkText(remark, outcome.hook);
  if (text === null) return [];
  return [{ kind: 'remark', label: `! ${outcome.event.padEnd(9)}`, style: 'yellow', text }];
}

/** Null if there is nothing to be said of it; `decider` is who decided. */
export function remarkText(remark: Remark, decider: string | null): string | null {
  const { hook, entry } = remark;
  switch (remark.kind) {
    case 'failed': {
      const { kind, message } = remark.failure;
      const what = entry.onFailure === undefined ? '' : ` (${kind}), ${FAILURE_CONSEQUENCE[entry.onFailure]}`;
      return `${hook} failed${what}: ${cut(message, NOTE)}`;
    }
    case 'condition':
      return `the condition of ${hook} raised, so it was not asked`;
    case 'ignored': {
      // In mode warn the reminder says it.
      if (entry.mode === 'warn') return null;
      const reason = entry.reason === null ? '' : ` (${entry.reason})`;
      return `${hook} said ${entry.decision}${reason}, which does not count: ${remark.why}`;
    }
    case 'warned':
      // Whatever made the deciding hook decide is in its reason.
      return hook === decider ? null : `${hook}: ${remark.warning}`;
  }
}

function attachmentRows(outcome: Outcome): Row[] {
  return outcome.effects.flatMap((effect) => {
    const text = attachmentText(effect);
    return text === null ? [] : [{ kind: 'remark' as const, label: '+', style: 'cyan' as const, text }];
  });
}

/** Counters and ordinary log lines are left to the summary. */
function attachmentText(effect: Effect): string | null {
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
