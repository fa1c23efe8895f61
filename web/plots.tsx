/** The plots over the list: decisions by day, who stopped and asked, whose script takes long. */
import type { Plots as Data } from '../src/page/server/api.ts';
import { withQuery } from './address.ts';
import { stored } from './stored.ts';
import { duration, Text } from './words.tsx';

/** The list comes first: who wants plots opens them once. */
const shown = stored<boolean>('harness-plots', false, (value) => typeof value === 'boolean');

const SHOWN_ACTIONS = ['block', 'ask', 'modify', 'allow'] as const;

export function Plots({ plots }: { plots: Data }) {
  const open = shown.value.value;
  if (plots.days.length === 0) return null;
  return (
    <details
      class="plots"
      open={open}
      onToggle={(event) => {
        if (event.currentTarget.open !== open) shown.save(event.currentTarget.open);
      }}
    >
      <summary>Plots</summary>
      {open && (
        <div class="grid3">
          <Days days={plots.days} />
          <figure>
            <figcaption>Stopped and asked, by hook</figcaption>
            <Bars
              rows={plots.rules.map(({ hook, block, ask }) => ({
                hook,
                parts: [
                  ['block', block],
                  ['ask', ask],
                ],
                text: String(block + ask),
              }))}
              none="Nothing was stopped."
            />
          </figure>
          <figure>
            <figcaption>Time a hook takes: median · 95 of 100 are faster</figcaption>
            <Bars
              rows={plots.times.map(({ hook, p50, p95 }) => ({
                hook,
                parts: [
                  ['allow', p50],
                  ['time', Math.max(0, p95 - p50)],
                ],
                text: `${duration(p50)} · ${duration(p95)}`,
              }))}
              none="Not counted for a search."
            />
          </figure>
        </div>
      )}
    </details>
  );
}

interface Bar {
  readonly hook: string;
  readonly parts: readonly (readonly [kind: string, size: number])[];
  readonly text: string;
}

function Bars({ rows, none }: { rows: readonly Bar[]; none: string }) {
  const sum = ({ parts }: Bar) => parts.reduce((all, [, size]) => all + size, 0);
  const most = Math.max(...rows.map(sum), 1e-9);
  if (rows.length === 0) return <p class="quiet">{none}</p>;
  return (
    <ul class="bars">
      {rows.slice(0, 6).map((bar) => (
        <li key={bar.hook}>
          <a href={withQuery({ hook: bar.hook })}>
            <Text of={bar.hook} />
          </a>
          <span class="track" aria-hidden="true">
            {bar.parts.map(([kind, size]) => (
              <span key={kind} class={`fill-${kind}`} style={{ width: `${(size / most) * 100}%` }} />
            ))}
          </span>
          <span class="quiet">{bar.text}</span>
        </li>
      ))}
    </ul>
  );
}

/** Each day where it falls, so that days without decisions are gaps. A reader of the screen has the sums. */
function Days({ days }: { days: Data['days'] }) {
  const total = (name: string) => days.reduce((all, { counts }) => all + (counts[name] ?? 0), 0);
  const sum = ({ counts }: Data['days'][number]) =>
    SHOWN_ACTIONS.reduce((all, name) => all + (counts[name] ?? 0), 0);
  const most = Math.max(...days.map(sum), 1);
  const [first, last] = [days[0]!.day, days.at(-1)!.day];
  const width = daysBetween(first, last) + 1;
  return (
    <figure>
      <figcaption>
        Decisions by day{' '}
        {SHOWN_ACTIONS.map((name) => (
          <span key={name} class={`v-${name}`}>
            {name} {total(name).toLocaleString('en')}{' '}
          </span>
        ))}
      </figcaption>
      <div class="days" aria-hidden="true">
        <div class="columns" style={{ maxWidth: `${width * WIDEST}px` }}>
          {days.map((each) => (
            <a
              key={each.day}
              href={withQuery({ since: each.day, until: next(each.day) })}
              title={`${each.day}: ${SHOWN_ACTIONS.map((name) => `${name} ${each.counts[name] ?? 0}`).join(', ')}`}
              tabIndex={-1}
              style={{ left: `${(daysBetween(first, each.day) / width) * 100}%`, width: `${70 / width}%` }}
            >
              {SHOWN_ACTIONS.map((name) => (
                <span
                  key={name}
                  class={`fill-${name}`}
                  style={{ height: `${((each.counts[name] ?? 0) / most) * 100}%` }}
                />
              ))}
            </a>
          ))}
        </div>
        <p class="quiet">
          {first.slice(5)}
          {first !== last && ` to ${last.slice(5)}`}, at most {most.toLocaleString('en')} a day
        </p>
      </div>
    </figure>
  );
}

/** Pixels of a day. */
const WIDEST = 37;

function daysBetween(from: string, to: string): number {
  return Math.round((Date.parse(to) - Date.parse(from)) / 86_400_000);
}

function next(day: string): string {
  const date = new Date(`${day}T00:00:00Z`);
  date.setUTCDate(date.getUTCDate() + 1);
  return date.toISOString().slice(0, 10);
}
