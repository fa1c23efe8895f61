/** The plots over the list: decisions by day, who stopped and asked, whose script takes long. Drawn by code that is fetched for it. */
import { useEffect, useRef, useState } from 'preact/hooks';
import type { Plots as Data } from '../src/daemon/page/api.ts';
import { go, withQuery } from './address.ts';
import { duration, Text } from './words.tsx';

const SHOWN = ['block', 'ask', 'modify', 'allow'] as const;

export function Plots({ plots }: { plots: Data }) {
  const [open, setOpen] = useState(window.innerWidth > 700);
  if (plots.days.length === 0) return null;
  return (
    <details class="plots" open={open} onToggle={(event) => setOpen(event.currentTarget.open)}>
      <summary>Plots</summary>
      {open && (
        <div class="grid3">
          <Days days={plots.days} />
          <figure>
            <figcaption>Stopped and asked, by rule</figcaption>
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

function Days({ days }: { days: Data['days'] }) {
  const box = useRef<HTMLDivElement>(null);
  const key = JSON.stringify(days);
  useEffect(() => {
    const element = box.current;
    if (element === null) return;
    let gone = false;
    let remove = () => {};
    const draw = () => {
      void import('./day-plot.ts').then(({ drawDays }) => {
        if (gone) return;
        remove();
        remove = drawDays(element, days, SHOWN, (day) => go(withQuery({ since: day, until: next(day) })));
      });
    };
    draw();
    const scheme = window.matchMedia('(prefers-color-scheme: dark)');
    const observer = new ResizeObserver(draw);
    observer.observe(element);
    scheme.addEventListener('change', draw);
    return () => {
      gone = true;
      observer.disconnect();
      scheme.removeEventListener('change', draw);
      remove();
    };
  }, [key]);
  const sums = SHOWN.map((name) => days.reduce((all, { counts }) => all + (counts[name] ?? 0), 0));
  return (
    <figure>
      <figcaption>
        Decisions by day{' '}
        {SHOWN.map((name, i) => (
          <span key={name} class={`v-${name}`}>
            {name} {sums[i]!.toLocaleString('en')}{' '}
          </span>
        ))}
      </figcaption>
      <div class="days" ref={box} aria-hidden="true" />
    </figure>
  );
}

function next(day: string): string {
  const date = new Date(`${day}T00:00:00Z`);
  date.setUTCDate(date.getUTCDate() + 1);
  return date.toISOString().slice(0, 10);
}
