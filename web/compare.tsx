/** Two runs side by side: what they spent, and where their steps part. */
import { useEffect, useState } from 'preact/hooks';
import { visible } from '../src/base/visible.ts';
import type { RunDetail, RunRow, Runs, Step, Steps } from '../src/page/server/api.ts';
import { go, pathTo, query, withQuery } from './address.ts';
import { ask, useLoad } from './api.ts';
import { dollars, span, tokens } from './figures.ts';
import { entryOf } from './steps.tsx';
import { count, moment, Problem, Text, Verdict, Waiting } from './words.tsx';

/** Lines of a run that are compared: the table of two runs is that wide and that high. */
const MOST = 500;

type Side = 'a' | 'b';

export function ComparePage() {
  const { data, error } = useLoad<Runs>(`/runs?zone=${new Date().getTimezoneOffset()}`);
  const [a, b] = [query.value.get('a'), query.value.get('b')];
  const runs = data?.runs ?? [];
  return (
    <main class="scroll">
      <h1>Compare two runs</h1>
      {error !== null && <Problem>{error}</Problem>}
      <div class="sides">
        <RunChoice side="a" chosen={a} runs={runs} near={null} />
        <RunChoice
          side="b"
          chosen={b}
          runs={runs.filter(({ id }) => id !== a)}
          near={runs.find(({ id }) => id === a) ?? null}
        />
      </div>
      {a !== null && b !== null ? (
        <Both a={a} b={b} />
      ) : (
        <div class="empty">
          <h2>Choose the other run</h2>
          <p>The same task under another policy, by another model, or before and after a change of a rule.</p>
        </div>
      )}
    </main>
  );
}

/** Runs of the same prompt stand first. */
function RunChoice({
  side,
  chosen,
  runs,
  near,
}: {
  side: Side;
  chosen: string | null;
  runs: readonly RunRow[];
  near: RunRow | null;
}) {
  const like = (run: RunRow) => near !== null && run.title !== null && run.title === near.title;
  const sorted = [...runs.filter(like), ...runs.filter((run) => !like(run))];
  return (
    <select
      aria-label={side === 'a' ? 'one run' : 'the other run'}
      value={chosen ?? ''}
      onChange={(event) => go(withQuery({ [side]: event.currentTarget.value }), 'replace')}
    >
      <option value="">choose a run…</option>
      {sorted.map((run) => (
        <option key={run.id} value={run.id}>
          {visible(
            `${moment(run.last ?? run.started).slice(5, 16)}  ${run.agent}  ${run.title ?? run.session}`,
          )}
        </option>
      ))}
    </select>
  );
}

function Both({ a, b }: { a: string; b: string }) {
  const one = useLoad<RunDetail>(pathTo('runs', a));
  const two = useLoad<RunDetail>(pathTo('runs', b));
  const [steps, setSteps] = useState<readonly [readonly Step[], readonly Step[]] | string | null>(null);
  useEffect(() => {
    setSteps(null);
    const ended = new AbortController();
    Promise.all([stepsOf(a, ended.signal), stepsOf(b, ended.signal)]).then(setSteps, (failed: Error) => {
      if (!ended.signal.aborted) setSteps(failed.message);
    });
    return () => ended.abort();
  }, [a, b]);
  const error = one.error ?? two.error ?? (typeof steps === 'string' ? steps : null);
  if (error !== null) return <Problem>{error}</Problem>;
  if (one.data === null || two.data === null || steps === null || typeof steps === 'string')
    return <Waiting what="Reading both" />;
  return (
    <>
      <Facts one={one.data.run} two={two.data.run} />
      <Rows rows={aligned(steps[0], steps[1])} />
    </>
  );
}

async function stepsOf(id: string, signal: AbortSignal): Promise<readonly Step[]> {
  const { rows } = await ask<Steps>(
    `${pathTo('runs', id, 'steps')}?offset=0&limit=${MOST}`,
    undefined,
    signal,
  );
  return rows
    .filter((row): row is Step & { line: 0 } => row.line === 0)
    .filter(({ kind }) => kind !== 'answer');
}

const FACTS: readonly (readonly [name: string, text: (run: RunRow) => string])[] = [
  ['agent', ({ agent }) => agent],
  ['model', ({ model }) => model ?? ''],
  ['person', ({ person }) => person ?? ''],
  ['took', ({ ms }) => span(ms)],
  ['calls', ({ calls }) => String(calls)],
  ['stopped', ({ blocks }) => String(blocks)],
  ['asked', ({ asks }) => String(asks)],
  ['rewritten', ({ rewrites }) => String(rewrites)],
  ['tokens', (run) => tokens(run.tokens)],
  ['cost', ({ costUsd }) => dollars(costUsd)],
];

function Facts({ one, two }: { one: RunRow; two: RunRow }) {
  const rows = FACTS.map(([name, text]) => [name, text(one), text(two)] as const).filter(
    ([, x, y]) => x !== '' || y !== '',
  );
  return (
    <div class="table" role="region" aria-label="What they spent" tabIndex={0}>
      <table class="compared">
        <tbody>
          {rows.map(([name, x, y]) => (
            <tr key={name} class={x === y ? '' : 'differs'}>
              <th scope="row">{name}</th>
              <td>
                <Text of={x} />
              </td>
              <td>
                <Text of={y} />
              </td>
            </tr>
          ))}
        </tbody>
      </table>
    </div>
  );
}

type Pair = readonly [Step | null, Step | null];

/** By the longest common row of steps: what both did stands side by side. */
export function aligned(one: readonly Step[], two: readonly Step[]): readonly Pair[] {
  const key = ({ kind, tool, text }: Step) => `${kind}\n${tool}\n${text}`;
  const [left, right] = [one.map(key), two.map(key)];
  const longest = Array.from({ length: one.length + 1 }, () => new Uint16Array(two.length + 1));
  for (let i = one.length - 1; i >= 0; i--)
    for (let j = two.length - 1; j >= 0; j--)
      longest[i]![j] =
        left[i] === right[j]
          ? longest[i + 1]![j + 1]! + 1
          : Math.max(longest[i + 1]![j]!, longest[i]![j + 1]!);
  const pairs: Pair[] = [];
  let [i, j] = [0, 0];
  while (i < one.length || j < two.length) {
    if (i < one.length && j < two.length && left[i] === right[j]) pairs.push([one[i++]!, two[j++]!]);
    else if (j >= two.length || (i < one.length && longest[i + 1]![j]! >= longest[i]![j + 1]!))
      pairs.push([one[i++]!, null]);
    else pairs.push([null, two[j++]!]);
  }
  return pairs;
}

function Rows({ rows }: { rows: readonly Pair[] }) {
  const apart = rows.filter(([x, y]) => x === null || y === null || x.action !== y.action).length;
  return (
    <section aria-labelledby="steps-title">
      <h2 id="steps-title">
        {apart === 0 ? 'Both did the same' : `${count(rows.length, 'step')}, ${apart} of them not the same`}
      </h2>
      <ol class="compared-steps">
        {rows.map(([x, y]) => (
          <li
            key={`${x?.seq ?? ''} ${y?.seq ?? ''}`}
            class={x === null || y === null || x.action !== y.action ? 'differs' : ''}
          >
            <Cell step={x} />
            <Cell step={y} />
          </li>
        ))}
      </ol>
    </section>
  );
}

function Cell({ step }: { step: Step | null }) {
  if (step === null) return <span class="cut quiet">–</span>;
  const { run, kind, tool, text, event, action } = step;
  return (
    <a class={`cut k-${kind}`} href={pathTo('runs', run, entryOf(step))}>
      {action !== null && action !== 'allow' && <Verdict action={action} />}{' '}
      {kind === 'prompt' ? (
        '› '
      ) : (
        <b>
          <Text of={tool ?? event} />{' '}
        </b>
      )}
      <span class={kind === 'prompt' ? '' : 'mono'}>
        <Text of={text} />
      </span>
    </a>
  );
}
