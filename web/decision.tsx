/** One decision in full: who decided and why, the call, what was rewritten, and every hook of the chain with what it saw and said. */
import { useState } from 'preact/hooks';
import type { Json } from '../src/base/json.ts';
import { visible } from '../src/base/visible.ts';
import type { Decision, Link, Today } from '../src/daemon/page/api.ts';
import { pathTo } from './address.ts';
import { ask, useLoad } from './api.ts';
import { PlaceLine } from './run.tsx';
import { Code, duration, moment, Problem, Text, Verdict, Waiting } from './words.tsx';

export function DecisionPane({ id, seq }: { id: string; seq: number }) {
  const { data, error } = useLoad<Decision>(pathTo('runs', id, 'decisions', seq));
  return (
    <aside class="pane" aria-label={`Entry ${seq}`}>
      <div class="bar">
        <a href={pathTo('runs', id)}>← the run</a>
        <span class="grow" />
        {data?.previous != null && (
          <a href={pathTo('runs', id, data.previous)} rel="prev">
            previous
          </a>
        )}
        {data?.next != null && (
          <a href={pathTo('runs', id, data.next)} rel="next">
            next
          </a>
        )}
      </div>
      {error !== null && <Problem>{error}</Problem>}
      {data === null && error === null && <Waiting what="Reading" />}
      {data !== null && <Detail id={id} decision={data} />}
    </aside>
  );
}

function Detail({ id, decision }: { id: string; decision: Decision }) {
  const {
    seq,
    at,
    event,
    tool,
    action,
    word,
    reason,
    hook,
    place,
    about,
    call,
    changes,
    chain,
    payload,
    after,
    failure,
    ms,
  } = decision;
  const considered = chain.length;
  const ran = chain.filter((link) => link.state === 'ran').length;
  return (
    <>
      <h2 class="decided">
        <Verdict action={action} word={word} /> <Text of={event} /> {tool !== null && <Text of={tool} />}
      </h2>
      <p class="quiet">
        entry {seq}, {moment(at)}
        {ms === null ? '' : `, decided in ${duration(ms)}`}. {about}
      </p>
      {hook !== null && (
        <p class="by">
          by{' '}
          <b>
            <Text of={hook} />
          </b>{' '}
          <PlaceLine place={place} hook={hook} />
        </p>
      )}
      {reason !== null && (
        <p class="reason">
          <Text of={reason} />
        </p>
      )}
      {failure !== null && <Problem>The operation failed: {visible(failure)}</Problem>}
      <TodayBox id={id} seq={seq} />
      <p>
        <a
          href={`/playground?run=${encodeURIComponent(id)}&seq=${seq}${hook === null ? '' : `&hook=${encodeURIComponent(hook)}`}`}
        >
          Try it in the playground
        </a>
      </p>
      {call !== null && (
        <section>
          <h3>The call</h3>
          {call.warnings.map((warning) => (
            <Problem key={warning}>{warning}</Problem>
          ))}
          <Code of={call.lines.join('\n')} label="The call" />
        </section>
      )}
      {changes.length > 0 && (
        <section>
          <h3>Rewritten</h3>
          {changes.map((change) => (
            <DiffBlock key={change.path} path={change.path} before={change.before} after={change.after} />
          ))}
        </section>
      )}
      <section>
        <h3>
          The chain: {ran} of {considered} asked
        </h3>
        <ol class="chain">
          {chain.map((link, i) => (
            // The same hook may stand there twice.
            <ChainLink key={`${i} ${link.hook}`} link={link} />
          ))}
        </ol>
      </section>
      <details>
        <summary>Payload as it was fired</summary>
        <Code of={payload} label="Payload" />
      </details>
      {after !== null && (
        <details>
          <summary>Payload as it left the chain</summary>
          <Code of={after} label="Payload afterwards" />
        </details>
      )}
    </>
  );
}

const STATES: Readonly<Record<Link['state'], string>> = {
  ran: '',
  unmatched: 'does not apply',
  condition_failed: 'its condition raised',
  unreached: 'not reached',
};

export function ChainLink({ link }: { link: Link }) {
  const {
    hook,
    source,
    layer,
    priority,
    mode,
    state,
    said,
    reason,
    counted,
    ms,
    steps,
    remarks,
    saw,
    gave,
    readings,
    effects,
  } = link;
  const rest = saw !== null || gave !== null || readings.length > 0 || effects.length > 0;
  const head = (
    <>
      <span class="pri quiet" title="priority">
        {layer === 'built-in' ? 'last' : priority}
      </span>
      <span class="c-verdict">
        {state === 'ran' ? (
          <Verdict action={said ?? (remarks.length > 0 ? 'failed' : 'allow')} />
        ) : (
          <span class="quiet">{STATES[state]}</span>
        )}
      </span>
      <b>
        <Text of={hook} />
      </b>
      {counted && <span class="tag">decided</span>}
      {mode !== 'enforce' && <span class="tag">{mode}</span>}
      <span class="quiet mono src">
        <Text of={source} />
      </span>
      <span class="quiet cost">
        {state === 'ran' ? `${duration(ms)}${steps > 0 ? ` · ${steps.toLocaleString('en')} steps` : ''}` : ''}
      </span>
    </>
  );
  return (
    <li class={state === 'ran' ? '' : 'off'}>
      {rest ? (
        <details>
          <summary>{head}</summary>
          {saw !== null && <Labelled name="saw" value={saw} />}
          {gave !== null && <Labelled name="gave" value={gave} />}
          {readings.length > 0 && <Labelled name="read" value={readings.join('\n')} />}
          {effects.length > 0 && <Labelled name="left" value={effects.join('\n')} />}
        </details>
      ) : (
        <div class="plain">{head}</div>
      )}
      {reason !== null && state === 'ran' && (
        <p class="why">
          <Text of={reason} />
        </p>
      )}
      {remarks.map((remark) => (
        <p key={remark} class="why v-block">
          ! <Text of={remark} />
        </p>
      ))}
    </li>
  );
}

function Labelled({ name, value }: { name: string; value: Json }) {
  return (
    <div class="labelled">
      <span class="quiet">{name}</span>
      <Code of={value} label={name} />
    </div>
  );
}

function shownValue(value: Json | undefined): string | null {
  if (value === undefined) return null;
  return typeof value === 'string' ? value : JSON.stringify(value, null, 2);
}

/** What both have in common at the beginning and the end is left plain. */
export function DiffBlock({ path, before, after }: { path: string; before?: Json; after?: Json }) {
  const [one, two] = [shownValue(before), shownValue(after)];
  const { head, tail } = common(one ?? '', two ?? '');
  return (
    <div class="diff">
      <span class="quiet mono">
        <Text of={path === '' ? 'all of it' : path} />
      </span>
      {one !== null && <DiffLine kind="minus" text={one} head={head} tail={tail} />}
      {two !== null && <DiffLine kind="plus" text={two} head={head} tail={tail} />}
    </div>
  );
}

function DiffLine({
  kind,
  text,
  head,
  tail,
}: {
  kind: 'minus' | 'plus';
  text: string;
  head: number;
  tail: number;
}) {
  const Mark = kind === 'minus' ? 'del' : 'ins';
  return (
    <pre class={`code ${kind}`} tabIndex={0} role="region" aria-label={kind === 'minus' ? 'before' : 'after'}>
      {visible(text.slice(0, head))}
      <Mark>{visible(text.slice(head, text.length - tail))}</Mark>
      {visible(text.slice(text.length - tail))}
    </pre>
  );
}

function common(one: string, two: string): { head: number; tail: number } {
  const most = Math.min(one.length, two.length);
  let head = 0;
  while (head < most && one[head] === two[head]) head++;
  let tail = 0;
  while (tail < most - head && one[one.length - 1 - tail] === two[two.length - 1 - tail]) tail++;
  return { head, tail };
}

function TodayBox({ id, seq }: { id: string; seq: number }) {
  const [state, setState] = useState<{ today: Today | null; error: string | null; asking: boolean }>({
    today: null,
    error: null,
    asking: false,
  });
  const { today, error, asking } = state;
  const check = () => {
    setState({ today: null, error: null, asking: true });
    ask<Today>(pathTo('runs', id, 'decisions', seq, 'today'), {}).then(
      (answer) => setState({ today: answer, error: null, asking: false }),
      (failed: Error) => setState({ today: null, error: failed.message, asking: false }),
    );
  };
  return (
    <div class="today">
      <button type="button" onClick={check} disabled={asking}>
        {asking ? 'Deciding again…' : "Would today's policy decide the same?"}
      </button>
      <span role="status">
        {error !== null && <span class="v-block">{error}</span>}
        {today?.same === true && <span class="v-allow">✓ Yes, the same.</span>}
        {today?.same === null && <span class="v-ask">? It cannot be told: {visible(today.note ?? '')}</span>}
        {today?.same === false && today.now !== null && (
          <span>
            <strong class="v-ask">No.</strong> Now: <Verdict action={today.now.action} />{' '}
            {today.now.hook !== null && (
              <b>
                <Text of={today.now.hook} />
              </b>
            )}{' '}
            <Text of={today.now.reason ?? ''} />
            {today.note !== null && <span class="quiet"> ({today.note})</span>}
          </span>
        )}
      </span>
    </div>
  );
}
