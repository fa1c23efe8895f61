/** One decision in full: who decided and why, the call, what was rewritten, and every hook of the chain with what it saw and said. */
import { useState } from 'preact/hooks';
import { visible } from '../src/base/visible.ts';
import type { Decision, Today } from '../src/page/server/api.ts';
import { encoded, pathTo } from './address.ts';
import { ask, useLoad } from './api.ts';
import { ChainLink, DiffBlock } from './chain.tsx';
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
        <a href={`/playground?run=${encoded(id)}&seq=${seq}${hook === null ? '' : `&hook=${encoded(hook)}`}`}>
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
          {considered === 0 ? 'No hook stands on this event' : `The chain: ${ran} of ${considered} asked`}
        </h3>
        <ol class="chain">
          {chain.map((link, i) => (
            // The same hook may stand there twice.
            <ChainLink key={`${i} ${link.hook}`} link={link} />
          ))}
        </ol>
      </section>
      <details open={call === null && considered === 0}>
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
