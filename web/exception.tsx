/** An exception from a rule: what it would change in the file, what it would have let through of the recorded runs, and then the file. */
import { useEffect, useState } from 'preact/hooks';
import { visible } from '../src/base/visible.ts';
import type { BacktestView, Decision, ExceptionView } from '../src/page/server/api.ts';
import { readOnly } from './about.ts';
import { encoded, go, pathTo, query, withQuery } from './address.ts';
import { ask, useLoad } from './api.ts';
import { BacktestResult } from './backtest.tsx';
import { Problem, Text } from './words.tsx';

const TYPING_MS = 300;
const DAYS = 30;

/** The rule that the address asks an exception from. */
export function exceptedRule(): string | null {
  return query.value.get('except');
}

export function ExceptionPanel({ rule }: { rule: string }) {
  const [run, seq] = [query.value.get('run'), query.value.get('seq')];
  const { data: decision } = useLoad<Decision>(
    run === null || seq === null ? null : pathTo('runs', run, 'decisions', seq),
  );
  const folder = folderOf(decision);
  const [where, setWhere] = useState('');
  const [expires, setExpires] = useState(() => inDays(DAYS));
  const [reason, setReason] = useState('');
  const [view, setView] = useState<ExceptionView | null>(null);
  const [error, setError] = useState<string | null>(null);
  const [backtest, setBacktest] = useState<string | null>(null);
  const [written, setWritten] = useState<string | null>(null);
  const wish = { rule, folder: where, expires, reason };
  const wished = JSON.stringify(wish);
  const { data: result } = useLoad<BacktestView>(
    backtest === null ? null : pathTo('backtest', backtest),
    ({ done }) => (done ? null : 300),
  );

  useEffect(() => {
    setBacktest(null);
    setView(null);
    if (reason.trim() === '' || written !== null) return;
    const ended = new AbortController();
    const timer = setTimeout(() => {
      ask<ExceptionView>('/policy/exception', JSON.parse(wished), ended.signal).then(
        (answer) => {
          setView(answer);
          setError(null);
        },
        (failed: Error) => {
          if (!ended.signal.aborted) setError(failed.message);
        },
      );
    }, TYPING_MS);
    return () => {
      clearTimeout(timer);
      ended.abort();
    };
  }, [wished]);

  const tryIt = () =>
    ask<BacktestView>('/policy/exception/backtest', wish).then(
      ({ id }) => setBacktest(id),
      (failed: Error) => setError(failed.message),
    );
  const write = () =>
    ask<{ source: string }>('/policy/exception/save', { ...wish, digest: view?.digest ?? null }).then(
      ({ source }) => setWritten(source),
      (failed: Error) => setError(failed.message),
    );
  const close = () => go(withQuery({ except: '', run: '', seq: '' }));
  const tested = result?.done === true && result.error === null;
  return (
    <section class="card exception" aria-labelledby="exception-title">
      <div class="bar flush">
        <h2 id="exception-title">
          An exception from <Text of={rule} />
        </h2>
        <span class="grow" />
        <button type="button" onClick={close}>
          Close
        </button>
      </div>
      {decision?.call != null && (
        <p>
          It was asked for because of{' '}
          <a href={pathTo('runs', run!, seq!)} class="mono">
            <Text of={decision.text} />
          </a>
        </p>
      )}
      {written !== null ? (
        <p class="v-allow" role="status">
          ✓ {visible(written)} is written. New sessions have it; one that runs goes on as it was until
          somebody types <code>harness accept</code>.
        </p>
      ) : (
        <>
          <form class="exception-form" onSubmit={(event) => event.preventDefault()}>
            <label class="wide">
              Why
              <input
                type="text"
                value={reason}
                placeholder="generated data, made again by npm run build"
                onInput={(event) => setReason(event.currentTarget.value)}
              />
            </label>
            <label>
              Only in the folder
              <input
                type="text"
                value={where}
                placeholder="everywhere in the project"
                list="exception-folders"
                onInput={(event) => setWhere(event.currentTarget.value)}
              />
            </label>
            {folder !== null && (
              <datalist id="exception-folders">
                <option value={folder}>{visible(folder)}</option>
              </datalist>
            )}
            <label>
              Until
              <input type="date" value={expires} onInput={(event) => setExpires(event.currentTarget.value)} />
            </label>
          </form>
          {reason.trim() === '' && (
            <p class="quiet">
              Say why, and the change of the file is shown here. Nothing is written before you say so.
            </p>
          )}
          {view !== null && <FileDiff of={view.diff} />}
          <div class="bar flush">
            <button
              type="button"
              class={tested ? '' : 'primary'}
              disabled={view === null || backtest !== null}
              onClick={tryIt}
            >
              Backtest it first
            </button>
            <button
              type="button"
              class={tested ? 'primary' : ''}
              disabled={!tested || readOnly.value}
              onClick={write}
              title={tested ? undefined : 'after the backtest'}
            >
              Write it to {visible(view?.source ?? 'harness.md')}
            </button>
          </div>
        </>
      )}
      {error !== null && <Problem>{error}</Problem>}
      {result !== null && <BacktestResult view={result} />}
    </section>
  );
}

/** A unified diff, its lines coloured. */
function FileDiff({ of }: { of: string }) {
  return (
    <pre class="code file-diff" tabIndex={0} role="region" aria-label="The change of the file">
      {of.split('\n').map((line, i) => (
        // Lines may repeat.
        <span key={i} class={line.startsWith('+') ? 'added' : line.startsWith('-') ? 'removed' : ''}>
          {visible(line)}
          {'\n'}
        </span>
      ))}
    </pre>
  );
}

/** Where the call ran. */
function folderOf(decision: Decision | null): string | null {
  const payload = decision?.payload;
  const cwd = typeof payload === 'object' && payload !== null && 'cwd' in payload ? payload.cwd : null;
  return typeof cwd === 'string' ? cwd : null;
}

function inDays(days: number): string {
  return new Date(Date.now() + days * 86_400_000).toISOString().slice(0, 10);
}

export function exceptionHref(rule: string): string {
  return `/policy?except=${encoded(rule)}`;
}
