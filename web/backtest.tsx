/** Backtest: what the policy, or a draft of it, would have said in the recorded runs; the changed calls side by side. */
import { useState } from 'preact/hooks';
import { visible } from '../src/base/visible.ts';
import type { BacktestView, ChangedCall } from '../src/page/server/api.ts';
import { go, pathTo, query } from './address.ts';
import { ask, useLoad } from './api.ts';
import { count, Problem, Text, Verdict } from './words.tsx';

export function BacktestPage() {
  const id = query.value.get('id');
  const [since, setSince] = useState('');
  const [failed, setFailed] = useState<string | null>(null);
  const { data, error } = useLoad<BacktestView>(id === null ? null : pathTo('backtest', id), ({ done }) =>
    done ? null : 300,
  );
  const start = (event: Event) => {
    event.preventDefault();
    setFailed(null);
    ask<BacktestView>('/backtest', since === '' ? {} : { since }).then(
      (view) => go(`/backtest?id=${view.id}`),
      (thrown: Error) => setFailed(thrown.message),
    );
  };
  return (
    <main class="scroll">
      <h1>Backtest</h1>
      <p class="quiet">
        Every recorded event decided once more by the policy as it is here. Nothing runs and nothing is
        written.
      </p>
      <form class="bar flush" onSubmit={start}>
        <div class="segments" role="group" aria-label="Which runs">
          {SPANS.map(([value, text]) => (
            <button key={value} type="button" aria-pressed={since === value} onClick={() => setSince(value)}>
              {text}
            </button>
          ))}
        </div>
        <label>
          since{' '}
          <input
            type="text"
            value={since}
            placeholder="7d, 2026-01-31"
            onInput={(event) => setSince(event.currentTarget.value)}
          />
        </label>
        <button type="submit" class="primary">
          Start
        </button>
      </form>
      {id === null && <What />}
      {failed !== null && <Problem>{failed}</Problem>}
      {error !== null && <Problem>{error}</Problem>}
      {data !== null && <BacktestResult view={data} />}
    </main>
  );
}

const SPANS = [
  ['1d', 'Last day'],
  ['7d', 'Last 7 days'],
  ['30d', 'Last 30 days'],
  ['', 'All runs'],
] as const;

/** Before the first one. */
function What() {
  return (
    <dl class="what-for">
      <dt>After a change of a rule</dt>
      <dd>which recorded calls would be stopped now, and which would go through</dd>
      <dt>Before a change is written</dt>
      <dd>
        edit the hook in the <a href="/playground">playground</a> and press <b>Backtest this</b>: the file
        stays as it is
      </dd>
      <dt>Before an exception</dt>
      <dd>
        open what was stopped and press <b>Make an exception</b>: it is backtested before it can be written
      </dd>
    </dl>
  );
}

export function BacktestResult({ view }: { view: BacktestView }) {
  const {
    id,
    draft,
    all,
    tapes,
    decisions,
    same,
    done,
    stopped,
    error,
    changedCount,
    notReplayable,
    classes,
    reasons,
    broken,
    unproven,
    changed,
    counterfactual,
  } = view;
  const [kind, setKind] = useState('');
  const shown = kind === '' ? changed : changed.filter((call) => call.class === kind);
  return (
    <>
      <p role="status">
        <progress value={tapes} max={Math.max(1, all)} aria-label="progress" /> {tapes} of {count(all, 'run')}
        {draft !== null && (
          <>
            {' '}
            with the draft of <code>{visible(draft)}</code>
          </>
        )}
        {done ? (stopped ? ', stopped' : ', done') : ''}
      </p>
      {error !== null && <Problem>{error}</Problem>}
      <div class="bar flush">
        {!done && (
          <button type="button" onClick={() => void ask(pathTo('backtest', id, 'stop'), {})}>
            Stop
          </button>
        )}
        <button type="button" onClick={() => exportMarkdown(id)}>
          Export as Markdown
        </button>
      </div>
      <p>
        {count(decisions, 'decision')}: {same.toLocaleString('en')} the same,{' '}
        <b>{changedCount.toLocaleString('en')} changed</b>, {notReplayable.toLocaleString('en')} that cannot
        be told.
      </p>
      <p class={unproven.length === 0 ? 'v-allow' : 'v-block'}>
        {unproven.length === 0
          ? `✓ Self-check: every decision of ${tapes - broken.length === 1 ? 'the tape' : 'the tapes'} comes out of its own record once more.`
          : `! Self-check: ${count(unproven.length, 'tape')} cannot be relied on, and what is said of them below proves nothing.`}
      </p>
      {unproven.map((problem) => (
        <Problem key={problem}>
          <Text of={problem} />
        </Problem>
      ))}
      {classes.length > 0 && (
        <fieldset class="tabs" aria-label="Classes">
          <button type="button" aria-pressed={kind === ''} onClick={() => setKind('')}>
            all
          </button>
          {classes.map(({ name, count: times }) => (
            <button
              key={name}
              type="button"
              aria-pressed={kind === name}
              onClick={() => setKind(name)}
              class={name.endsWith('->allow') ? 'v-block' : ''}
            >
              {visible(name.replace('->', ' → '))} {times}
            </button>
          ))}
        </fieldset>
      )}
      {shown.length > 0 && (
        <div class="table" role="region" aria-label="Changed calls" tabIndex={0}>
          <table>
            <thead>
              <tr>
                <th scope="col">call</th>
                <th scope="col">then</th>
                <th scope="col">now</th>
              </tr>
            </thead>
            <tbody>
              {shown.map((call) => (
                <ChangedLine key={`${call.session} ${call.seq}`} call={call} />
              ))}
            </tbody>
          </table>
        </div>
      )}
      {changedCount > changed.length && <p class="quiet">Only the first {changed.length} are shown.</p>}
      {counterfactual > 0 && (
        <p class="quiet">* came after another change of the same run, which would have gone another way.</p>
      )}
      {reasons.map(({ reason, count: times }) => (
        <p key={reason} class="quiet">
          {count(times, 'decision')} cannot be told: <Text of={reason} />
        </p>
      ))}
      {broken.map((problem) => (
        <Problem key={problem}>
          <Text of={problem} />
        </Problem>
      ))}
    </>
  );
}

function ChangedLine({
  call: { run, seq, event, call, before, after, counterfactual },
}: {
  call: ChangedCall;
}) {
  const text = (
    <span class="mono">
      <Text of={call} />
    </span>
  );
  return (
    <tr>
      <td class="said">
        {run === null ? text : <a href={pathTo('runs', run, seq)}>{text}</a>}{' '}
        <span class="quiet">
          <Text of={event} />
          {counterfactual ? ' *' : ''}
        </span>
      </td>
      {[before, after].map((said, i) => (
        <td key={i === 0 ? 'then' : 'now'} class="said">
          <Verdict action={said.action} />{' '}
          {said.hook !== null && (
            <b>
              <Text of={said.hook} />
            </b>
          )}{' '}
          <Text of={said.reason ?? ''} />
        </td>
      ))}
    </tr>
  );
}

function exportMarkdown(id: string): void {
  void ask<{ markdown: string }>(pathTo('backtest', id, 'markdown')).then(({ markdown }) => {
    const link = document.createElement('a');
    link.href = URL.createObjectURL(new Blob([markdown], { type: 'text/markdown' }));
    link.download = 'backtest.md';
    link.click();
    URL.revokeObjectURL(link.href);
  });
}
