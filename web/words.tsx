/** How things are shown everywhere: times, verdicts, texts in which nothing is hidden. */
import type { ComponentChildren } from 'preact';
import type { Json } from '../src/base/json.ts';
import { visible } from '../src/base/visible.ts';

/** Whatever comes from a tape or a file: as text, with what could not be seen written out. */
export function Text({ of }: { of: string }) {
  return <bdi>{visible(of)}</bdi>;
}

export function Code({ of, label }: { of: Json; label?: string }) {
  const text = typeof of === 'string' ? of : JSON.stringify(of, null, 2);
  return (
    // Long ones scroll, and what scrolls can be reached with the keyboard.
    <pre class="code" tabIndex={0} role="region" aria-label={label ?? 'text'}>
      {visible(text)}
    </pre>
  );
}

const SIGNS: Readonly<Record<string, string>> = {
  allow: '✓',
  permit: '✓',
  ran: '✓',
  modify: '~',
  ask: '?',
  delegate: '→',
  block: '✗',
  blocked: '✗',
  denied: '✗',
  refused: '✗',
  hidden: '✗',
  failed: '!',
};

export function Verdict({ action, word }: { action: string | null; word?: string }) {
  const name = action ?? 'undecided';
  return (
    <span class={`verdict v-${KINDS[name] ?? 'other'}`}>
      <span aria-hidden="true">{SIGNS[name] ?? '·'}</span> {visible(word ?? name)}
    </span>
  );
}

const KINDS: Readonly<Record<string, string>> = {
  allow: 'allow',
  permit: 'allow',
  ran: 'allow',
  modify: 'modify',
  ask: 'ask',
  delegate: 'modify',
  block: 'block',
  blocked: 'block',
  denied: 'block',
  refused: 'block',
  hidden: 'ask',
  failed: 'ask',
};

/** The reason of a rule, without the call and the name that are shown beside it. */
export function reasonOf(reason: string | null, rule: string | null): string {
  const [, rest] = (reason ?? '').split(` by the rule ${rule}: `);
  return rest ?? reason ?? '';
}

/** The same, where what the call does is shown beside it too. */
export function whyOf(reason: string | null, rule: string | null): string {
  return reasonOf(reason, rule).replace(/ ?What it does: .*?(?= Instead: |$)/s, '');
}

/** On one line: what to do instead is shown where the whole call is. */
export function shortWhy(reason: string | null, rule: string | null): string {
  return whyOf(reason, rule).replace(/\.? Instead: .*$/s, '');
}

export function clock(at: number | null): string {
  const date = new Date(at ?? Number.NaN);
  return Number.isNaN(date.getTime()) ? '–' : date.toLocaleTimeString(undefined, { hour12: false });
}

export function day(at: number | string | null): string {
  const date = new Date(at ?? Number.NaN);
  if (Number.isNaN(date.getTime())) return '–';
  const [y, m, d] = [date.getFullYear(), date.getMonth() + 1, date.getDate()];
  return `${y}-${String(m).padStart(2, '0')}-${String(d).padStart(2, '0')}`;
}

export function moment(at: number | string | null): string {
  const date = new Date(at ?? Number.NaN);
  return Number.isNaN(date.getTime())
    ? '–'
    : `${day(at)} ${date.toLocaleTimeString(undefined, { hour12: false })}`;
}

/** Of today the time, else the day too. */
export function sinceToday(at: number): string {
  return day(at) === day(Date.now()) ? clock(at) : `${day(at).slice(5)} ${clock(at)}`;
}

export function duration(ms: number | null): string {
  if (ms === null) return '';
  if (ms < 1) return `${Math.round(ms * 1000)} µs`;
  return ms < 1000 ? `${ms.toFixed(ms < 10 ? 1 : 0)} ms` : `${(ms / 1000).toFixed(1)} s`;
}

export function count(number: number, what: string, many = `${what}s`): string {
  return `${number.toLocaleString('en')} ${number === 1 ? what : many}`;
}

/** Of something long: the end is only said when it is there. */
export function share(part: number): string {
  return `${Math.floor(part * 100)} %`;
}

export function Problem({ children }: { children: ComponentChildren }) {
  return (
    <p class="problem" role="alert">
      {typeof children === 'string' ? visible(children) : children}
    </p>
  );
}

export function Waiting({ what }: { what: string }) {
  return (
    <p class="quiet" role="status">
      {what}…
    </p>
  );
}
