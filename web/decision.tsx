/** One decision in full: who decided and why, the call, what was rewritten, and every hook of the chain with what it saw and said. */
import { useEffect, useState } from 'preact/hooks';
import type { Json } from '../src/base/json.ts';
import { visible } from '../src/base/visible.ts';
import type { Decision, OriginsView, Today, Way } from '../src/page/server/api.ts';
import { inConditional } from '../src/page/would.ts';
import { atHub } from './about.ts';
import { encoded, pathTo } from './address.ts';
import { ask, useLoad } from './api.ts';
import { Chain, DiffBlock } from './chain.tsx';
import { showLine } from './list.tsx';
import { PlaceLine } from './run.tsx';
import { Code, duration, moment, Problem, Text, Verdict, Waiting, whyOf } from './words.tsx';

export function DecisionPane({ id, seq }: { id: string; seq: number }) {
  const { data, error } = useLoad<Decision>(pathTo('runs', id, 'decisions', seq));
  const line = data?.line ?? null;
  useEffect(() => {
    if (line !== null) showLine(line);
  }, [line]);
  return (
    <aside class="pane" aria-label={`Entry ${seq}`}>
      <div class="bar">
        <a href={pathTo('runs', id) + window.location.search}>← the run</a>
        <span class="grow" />
        {data?.previous != null && (
          <a href={pathTo('runs', id, data.previous) + window.location.search} rel="prev">
            previous
          </a>
        )}
        {data?.next != null && (
          <a href={pathTo('runs', id, data.next) + window.location.search} rel="next">
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
    about,
    changes,
    chain,
    payload,
    after,
    failure,
    ms,
    note,
    parts,
  } = decision;
  const ran = chain.filter((link) => link.state === 'ran').length;
  const stops = action === 'block' || action === 'ask';
  return (
    <>
      <h2 class="decided">
        {!note && <Verdict action={action} word={word} />} <Text of={event} />{' '}
        {tool !== null && <Text of={tool} />}
      </h2>
      <p class="quiet">
        entry {seq}, {moment(at)}
        {ms === null ? '' : `, decided in ${duration(ms)}`}. {about}
      </p>
      <Parts id={id} seq={seq} parts={parts} />
      {stops && <Callout id={id} decision={decision} />}
      {failure !== null && <Problem>The operation failed: {visible(failure)}</Problem>}
      <EventText event={event} payload={payload} />
      {!stops && <Call decision={decision} />}
      {event === 'tool.pre' && !atHub.value && <Origins id={id} seq={seq} />}
      {changes.length > 0 && (
        <section>
          <h3>Rewritten</h3>
          {changes.map((change) => (
            <DiffBlock key={change.path} path={change.path} before={change.before} after={change.after} />
          ))}
        </section>
      )}
      {event === 'tool.pre' && <Result id={id} parts={parts} />}
      {!note && (
        <section>
          <h3>
            {chain.length === 0
              ? 'No hook stands on this event'
              : `The chain: ${ran} of ${chain.length} asked`}
          </h3>
          <Chain chain={chain} withReason={!stops} />
        </section>
      )}
      {!note && !stops && !atHub.value && <TodayBox id={id} seq={seq} />}
      <details open={note}>
        <summary>{note ? 'The entry' : 'Payload as it was fired'}</summary>
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

/** What else was decided about the same call. */
function Parts({ id, seq, parts }: { id: string; seq: number; parts: Decision['parts'] }) {
  if (parts.length < 2) return null;
  return (
    <nav class="parts" aria-label="What was decided about it">
      {parts.map((part) => (
        <a
          key={part.seq}
          href={pathTo('runs', id, part.seq) + window.location.search}
          aria-current={part.seq === seq ? 'page' : undefined}
        >
          <Text of={part.event} />
          {part.action !== null && part.action !== 'allow' && part.action !== 'ran' && (
            <>
              {' '}
              <Verdict action={part.action} />
            </>
          )}
        </a>
      ))}
    </nav>
  );
}

/** What was stopped, in words; who stopped it, by which line; and what a person can do now. */
function Callout({ id, decision }: { id: string; decision: Decision }) {
  const { seq, action, does, reason, hook, rule, place } = decision;
  const why = whyOf(reason, rule);
  return (
    <section class={`callout ${action === 'ask' ? 'asked' : ''}`} aria-label="Why, and what now">
      {does.length > 0 && (
        <p class="does">
          <Text of={inConditional(does)} />
        </p>
      )}
      {why !== '' && (
        <p class="reason">
          <Text of={why} />
        </p>
      )}
      <p class="by">
        by{' '}
        <b>
          <Text of={rule ?? hook ?? 'the host: no hook decided'} />
        </b>{' '}
        <PlaceLine
          place={place === null || place.code === null ? place : { ...place, text: null }}
          hook={hook}
        />
      </p>
      <CodePlace place={place} />
      <Call decision={decision} />
      {!atHub.value && (
        <>
          <p class="now">
            {rule !== null && (
              <a class="button" href={`/policy?except=${encoded(rule)}&run=${encoded(id)}&seq=${seq}`}>
                Make an exception…
              </a>
            )}
            {rule === null && hook !== null && (
              <a class="button" href={`/playground?hook=${encoded(hook)}&run=${encoded(id)}&seq=${seq}`}>
                Edit the hook, backtest it
              </a>
            )}
            <a
              class="button"
              href={`/playground?run=${encoded(id)}&seq=${seq}${hook === null ? '' : `&hook=${encoded(hook)}`}`}
            >
              Try it in the playground
            </a>
          </p>
          <TodayBox id={id} seq={seq} />
        </>
      )}
    </section>
  );
}

/** The code of the hook, with the line that decided marked. */
function CodePlace({ place }: { place: Decision['place'] }) {
  if (place?.code == null) return null;
  const { first, lines } = place.code;
  return (
    <pre class="code lines" tabIndex={0} role="region" aria-label="The code that decided">
      {lines.map((text, i) => (
        // Lines may repeat.
        <span key={first + i} class={first + i === place.line ? 'line marked' : 'line'}>
          <span class="no">{first + i}</span>
          <span class="text">{visible(text)}</span>
        </span>
      ))}
    </pre>
  );
}

function Call({ decision: { call, does, action } }: { decision: Decision }) {
  if (call === null) return null;
  const stops = action === 'block' || action === 'ask';
  return (
    <section>
      {!stops && <h3>The call</h3>}
      {!stops && does.length > 0 && (
        <p>
          <Text of={does.join(' ')} />
        </p>
      )}
      {call.warnings.map((warning) => (
        <Problem key={warning}>{warning}</Problem>
      ))}
      <Code
        of={call.lines.filter((line) => !line.startsWith('What it does: ')).join('\n')}
        label="The call"
      />
    </section>
  );
}

/** What a person or a model said, as text one reads. */
function EventText({ event, payload }: { event: string; payload: Json }) {
  const text = textOfEvent(event, payload);
  if (text === null || text === '') return null;
  return (
    <section class="spoken">
      <p>
        <Text of={text} />
      </p>
    </section>
  );
}

function textOfEvent(event: string, payload: Json): string | null {
  if (event === 'turn.start') return typeof payload === 'string' ? payload : textAt(payload, 'prompt');
  if (event === 'delegation.pre') return textAt(payload, 'prompt');
  if (event === 'delegation.post') return textAt(payload, 'result');
  if (event === 'tool.post') return textAt(payload, 'content') ?? null;
  if (event !== 'completion.post') return null;
  const [choice] = listAt(payload, 'choices');
  return choice === undefined ? null : textAt(at(choice, 'message'), 'content');
}

function at(value: Json | undefined, key: string): Json | undefined {
  return typeof value === 'object' && value !== null && !Array.isArray(value)
    ? (value as Readonly<Record<string, Json>>)[key]
    : undefined;
}

function textAt(value: Json | undefined, key: string): string | null {
  const found = at(value, key);
  return found === undefined || found === null
    ? null
    : typeof found === 'string'
      ? found
      : JSON.stringify(found, null, 2);
}

function listAt(value: Json | undefined, key: string): readonly Json[] {
  const found = at(value, key);
  return Array.isArray(found) ? (found as readonly Json[]) : [];
}

/** What the tool gave, if its end is on the tape. */
function Result({ id, parts }: { id: string; parts: Decision['parts'] }) {
  const end = parts.find(({ event }) => event === 'tool.post');
  const { data } = useLoad<Decision>(end === undefined ? null : pathTo('runs', id, 'decisions', end.seq));
  const text = data === null ? null : textAt(data.after ?? data.payload, 'content');
  if (text === null || text === '') return null;
  return (
    <section>
      <h3>Its result, as the agent was given it</h3>
      <Code of={text} label="The result" />
    </section>
  );
}

const ORIGIN_WORDS = {
  user: ['good', 'the user'],
  trusted: ['good', 'trusted'],
  untrusted: ['bad', 'untrusted'],
  unknown: ['', 'new: on no entry before'],
} as const;

/** Where each argument came from, and the way it took. */
function Origins({ id, seq }: { id: string; seq: number }) {
  const { data } = useLoad<OriginsView>(pathTo('runs', id, 'decisions', seq, 'origins'));
  if (data === null || (data.args.length === 0 && data.note === null)) return null;
  return (
    <section class="origins">
      <h3>Where its arguments came from</h3>
      {data.note !== null && (
        <p class="quiet">
          <Text of={data.note} />
        </p>
      )}
      <ul>
        {data.args.map(({ path, value, origin, labels, ways }) => (
          <li key={path}>
            <span class="argument">
              <b class="mono">
                <Text of={path} />
              </b>
              <span class="mono quiet cut">
                <Text of={value} />
              </span>
              <span class={`tag ${ORIGIN_WORDS[origin][0]}`}>{ORIGIN_WORDS[origin][1]}</span>
              {labels.map((label) => (
                <span key={label} class="tag warn">
                  <Text of={label} />
                </span>
              ))}
            </span>
            {ways.map((way) => (
              <WayOf key={way.pieces.join(' ')} id={id} way={way} />
            ))}
          </li>
        ))}
      </ul>
    </section>
  );
}

/** From the entry that said it first, through files and agents, to this call. */
function WayOf({ id, way: { pieces, origin, steps } }: { id: string; way: Way }) {
  return (
    <ol class={`way from-${origin}`} aria-label={visible(`The way of ${pieces.join(', ')}`)}>
      {steps.map(({ seq, words, text }) => (
        <li key={seq}>
          <a href={pathTo('runs', id, seq)}>
            <span>
              <b>
                <Text of={words} />
              </b>{' '}
              <span class="quiet">entry {seq}</span>
            </span>
            {!words.endsWith(text) && (
              <span class="mono quiet cut">
                <Text of={text} />
              </span>
            )}
          </a>
        </li>
      ))}
      <li>
        <span class="here">
          <b>this call</b>
          <span class="mono cut">
            <Text of={pieces.join(', ')} />
          </span>
        </span>
      </li>
    </ol>
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
        {today?.same === null && <span class="v-ask">? Unknown: {visible(today.note ?? '')}</span>}
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
