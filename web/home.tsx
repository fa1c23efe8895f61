/** Home, understood at a glance: is everything guarded, what was stopped this week and why, what waits, what ordinary work was disturbed. */
import { useState } from 'preact/hooks';
import type { Guarded, Guards, RuleWeek, StoppedCase, Week } from '../src/page/server/api.ts';
import { atHub, waiting } from './about.ts';
import { encoded, pathTo } from './address.ts';
import { useLoad } from './api.ts';
import { openQuestions } from './approvals.tsx';
import { ago, short, span, weekday } from './figures.ts';
import { Command, openWarnings, Warnings } from './warnings.tsx';
import { count, Problem, shortWhy, Text, Verdict, whyOf } from './words.tsx';

const ZONE = new Date().getTimezoneOffset();

export function HomePage() {
  const guards = useLoad<Guards>('/guards', () => 10_000);
  const week = useLoad<Week>(`/week?zone=${ZONE}`, ({ done }) => (done ? 5000 : 400));
  const error = guards.error ?? week.error;
  return (
    <main class="scroll home">
      {error !== null && <Problem>{error}</Problem>}
      <Headline guards={guards.data} />
      {!atHub.value && <ToDo guards={guards.data} week={week.data} />}
      <Warnings warnings={guards.data?.warnings ?? []} />
      <Tiles guards={guards.data} week={week.data} />
      <div class="home-columns">
        <Stopped week={week.data} />
        <aside aria-label="Beside it">
          {!atHub.value && (
            <>
              <WaitingList />
              <Disturbed week={week.data} />
            </>
          )}
          <GuardedList guards={guards.data} />
        </aside>
      </div>
    </main>
  );
}

function Headline({ guards }: { guards: Guards | null }) {
  if (guards === null) return <h1 class="headline quiet">Looking at the guards…</h1>;
  const open = openWarnings(guards.warnings).length;
  const [kind, text] = atHub.value
    ? fleetHeadline(guards, open)
    : guards.state === 'none'
      ? (['block', 'Nothing guards this folder'] as const)
      : open > 0
        ? (['ask', `${count(open, 'guard')} to look at`] as const)
        : guards.warnings.length > 0
          ? (['ask', `Guarded, but for ${count(guards.warnings.length, 'warning')} you dismissed`] as const)
          : guards.guarded.length === 0
            ? (['ask', 'The policy is ready; no agent is connected to it'] as const)
            : (['allow', 'Everything is guarded'] as const);
  return (
    <h1 class={`headline v-${kind}`}>
      <span aria-hidden="true">{kind === 'allow' ? '✓' : '!'}</span> {text}
    </h1>
  );
}

function fleetHeadline({ guarded, warnings }: Guards, open: number): readonly ['ask' | 'allow', string] {
  if (guarded.length === 0) return ['ask', 'No machine has joined'];
  if (open > 0) return ['ask', `${count(guarded.length, 'machine')}, ${count(open, 'thing')} to look at`];
  const dismissed =
    warnings.length === 0 ? '' : `, but for ${count(warnings.length, 'warning')} you dismissed`;
  return [dismissed === '' ? 'allow' : 'ask', `${count(guarded.length, 'machine')}, all well${dismissed}`];
}

/** The one thing to do first; what a warning asks for stands in its own row. */
function ToDo({ guards, week }: { guards: Guards | null; week: Week | null }) {
  if (guards === null || week === null || guards.state === 'none') return null;
  const [disturbed] = disturbances(week);
  if (waiting.value > 0)
    return (
      <p class="to-do">
        <b>To do</b> {count(waiting.value, 'call')} of an agent {waiting.value === 1 ? 'waits' : 'wait'} for
        your answer{' '}
        <a class="button primary" href="/approvals">
          Answer
        </a>
      </p>
    );
  if (openWarnings(guards.warnings).length > 0) return null;
  if (guards.guarded.length === 0)
    return (
      <p class="to-do">
        <b>To do</b> connect the agent you work with <Command of="harness install" />
      </p>
    );
  if (disturbed === undefined) return null;
  return (
    <p class="to-do">
      <b>To do</b>{' '}
      <span>
        <b>
          <Text of={disturbed.rule} />
        </b>{' '}
        {disturbed.short}
      </span>{' '}
      <a class="button primary" href={disturbed.href}>
        {disturbed.todo}
      </a>
    </p>
  );
}

function Tiles({ guards, week }: { guards: Guards | null; week: Week | null }) {
  const sum = (name: 'runs' | 'decisions') => week?.days.reduce((all, each) => all + each[name], 0) ?? 0;
  const stopped =
    week?.rules.reduce((all, { action, count: times }) => all + (action === 'block' ? times : 0), 0) ?? 0;
  const disturbed = disturbances(week);
  return (
    <div class={atHub.value ? 'tiles three' : 'tiles'}>
      {atHub.value ? (
        <Tile
          title="Machines"
          href="/machines"
          figure={guards === null ? null : short(guards.guarded.length)}
          kind={guards?.state === 'doubtful' ? 'ask' : ''}
        >
          {guards !== null &&
            `${guards.guarded.filter(({ state }) => state === 'on').length} without a doubt`}
        </Tile>
      ) : (
        <Tile
          title="Agents guarded"
          href="/policy"
          figure={guards === null ? null : short(guards.guarded.filter(({ state }) => state === 'on').length)}
          kind={guards?.guarded.length === 0 ? 'ask' : ''}
        >
          {guards !== null && `by ${count(guards.hooks, 'hook')}, ${count(guards.rules, 'rule')}`}
        </Tile>
      )}
      <Tile
        title="Stopped this week"
        href="/runs?view=decisions&decision=block&since=7d"
        figure={week === null ? null : short(stopped)}
        kind={stopped > 0 ? 'block' : ''}
      >
        {week !== null && `of ${count(sum('decisions'), 'decision')} in ${count(sum('runs'), 'run')}`}
      </Tile>
      {!atHub.value && (
        <>
          <Tile
            title="Waits for you"
            href="/approvals"
            figure={String(waiting.value)}
            kind={waiting.value > 0 ? 'ask' : ''}
          >
            {waiting.value === 0 ? 'no open question' : 'agents are waiting'}
          </Tile>
          <Tile
            title="Work disturbed"
            href="#disturbed"
            figure={week === null ? null : short(disturbed.reduce((all, { times }) => all + times, 0))}
            kind={disturbed.length > 0 ? 'ask' : ''}
          >
            {week !== null &&
              (disturbed.length === 0 ? 'by no rule, no hook' : `by ${count(disturbed.length, 'hook')}`)}
          </Tile>
        </>
      )}
      <Days week={week} />
    </div>
  );
}

function Tile(props: {
  title: string;
  href: string;
  /** Null until it is known. */
  figure: string | null;
  kind?: string;
  children?: preact.ComponentChildren;
}) {
  return (
    <a class="tile" href={props.href}>
      <span class="tile-title">{props.title}</span>
      <span class={`figure ${props.kind ? `v-${props.kind}` : ''}`}>{props.figure ?? '–'}</span>
      <span class="quiet cut">{props.children}</span>
    </a>
  );
}

const SHOWN_ACTIONS = ['block', 'ask', 'modify'] as const;

/** Seven columns; a reader of the screen has the sums beside them. */
function Days({ week }: { week: Week | null }) {
  const days = week?.days ?? [];
  const most = Math.max(1, ...days.map((each) => SHOWN_ACTIONS.reduce((all, name) => all + each[name], 0)));
  return (
    <div class="tile week-days">
      <span class="tile-title">Stopped, asked, rewritten by day</span>
      <div class="bars7" aria-hidden="true">
        {days.map((each) => (
          <a
            key={each.day}
            tabIndex={-1}
            href={`/runs?view=decisions&since=${each.day}&until=${next(each.day)}`}
            title={`${each.day}: ${SHOWN_ACTIONS.map((name) => `${name} ${each[name]}`).join(', ')}, ${count(each.runs, 'run')}`}
          >
            <span class="column">
              {SHOWN_ACTIONS.map((name) => (
                <span key={name} class={`fill-${name}`} style={{ height: `${(each[name] / most) * 100}%` }} />
              ))}
            </span>
            <span class="quiet">{weekday(each.day)}</span>
          </a>
        ))}
      </div>
    </div>
  );
}

function next(date: string): string {
  return new Date(Date.parse(`${date}T00:00:00Z`) + 86_400_000).toISOString().slice(0, 10);
}

const SPANS = [
  ['today', 'Today'],
  ['yesterday', 'Yesterday'],
  ['week', 'This week'],
] as const;
type SpanName = (typeof SPANS)[number][0];

function Stopped({ week }: { week: Week | null }) {
  const [chosen, setChosen] = useState<SpanName>('week');
  const rows = (week?.rules ?? [])
    .filter(({ action }) => action !== 'failed')
    .map((rule) => ({ rule, times: timesIn(rule, chosen) }))
    .filter(({ times }) => times > 0)
    .sort((a, b) => b.times - a.times);
  return (
    <section class="stops" aria-labelledby="stops-title">
      <div class="bar flush">
        <h2 id="stops-title">What was stopped, and why</h2>
        <span class="grow" />
        <div class="segments" role="group" aria-label="When">
          {SPANS.map(([name, text]) => (
            <button key={name} type="button" aria-pressed={chosen === name} onClick={() => setChosen(name)}>
              {text}
            </button>
          ))}
        </div>
      </div>
      {week === null && <div class="skeleton tall" aria-hidden="true" />}
      {week !== null && rows.length === 0 && <NothingStopped week={week} chosen={chosen} />}
      <ol class="rules">
        {rows.map(({ rule, times }) => (
          <RuleRow key={`${rule.action} ${rule.rule}`} rule={rule} times={times} week={week!} />
        ))}
      </ol>
      {week?.done === false && (
        <p class="quiet" role="status">
          Tapes are still being read: more may follow.
        </p>
      )}
    </section>
  );
}

function timesIn({ byDay, count: all }: RuleWeek, chosen: SpanName): number {
  return chosen === 'week' ? all : (byDay.at(chosen === 'today' ? -1 : -2) ?? 0);
}

function RuleRow({ rule, times, week }: { rule: RuleWeek; times: number; week: Week }) {
  const { newest } = rule;
  const same = week.newest.filter(
    (each) => each.rule === rule.rule && (each.action === 'ask') === (rule.action === 'ask'),
  );
  return (
    <li>
      <details>
        <summary>
          <span class={`times v-${rule.action}`}>{short(times)}</span>
          <span class="rule-what">
            <span class="cut">
              <b>
                <Text of={rule.rule} />
              </b>{' '}
              <span class="quiet">
                <Text of={shortWhy(rule.newest.reason, rule.rule)} />
              </span>
            </span>
            <span class="cut case">
              <CaseText of={newest} />
            </span>
          </span>
          <span class="quiet when-last">{ago(newest.at)}</span>
        </summary>
        <div class="rule-more">
          <p>
            <Verdict action={rule.action} word={rule.action === 'ask' ? 'asked' : 'stopped'} />{' '}
            <Text of={whyOf(rule.newest.reason, rule.rule)} />
          </p>
          <ul class="cases">
            {(same.length === 0 ? [newest] : same.slice(0, 5)).map((each) => (
              <li key={`${each.run} ${each.seq}`}>
                <a href={pathTo('runs', each.run, each.seq)} class="cut">
                  <CaseText of={each} />
                </a>
                <span class="quiet cut">
                  <Text of={each.title ?? each.agent} /> · {ago(each.at)}
                </span>
              </li>
            ))}
          </ul>
          <p class="what-now">
            {atHub.value ? null : rule.isPack ? (
              <a class="button" href={exceptionHref(newest)}>
                Make an exception…
              </a>
            ) : (
              <a class="button" href={playgroundHref(rule.rule, newest)}>
                Edit the hook
              </a>
            )}
            <a
              class="button"
              href={`/runs?view=decisions&since=7d&hook=${encoded(rule.hook ?? '')}&decision=${rule.action}`}
            >
              All {rule.isPack ? 'of its pack' : ''} this week
            </a>
          </p>
        </div>
      </details>
    </li>
  );
}

export function exceptionHref({ rule, run, seq }: Pick<StoppedCase, 'rule' | 'run' | 'seq'>): string {
  return `/policy?except=${encoded(rule)}&run=${encoded(run)}&seq=${seq}`;
}

function playgroundHref(hook: string, { run, seq }: Pick<StoppedCase, 'run' | 'seq'>): string {
  return `/playground?hook=${encoded(hook)}&run=${encoded(run)}&seq=${seq}`;
}

function CaseText({ of }: { of: StoppedCase }) {
  return (
    <>
      <span class="quiet">
        <Text of={of.tool ?? of.event} />
      </span>{' '}
      <code>
        <Text of={of.text} />
      </code>
    </>
  );
}

function NothingStopped({ week, chosen }: { week: Week; chosen: SpanName }) {
  const days = chosen === 'week' ? week.days : week.days.slice(chosen === 'today' ? -1 : -2).slice(0, 1);
  const runs = days.reduce((all, each) => all + each.runs + each.decisions, 0);
  if (chosen === 'week' && runs === 0 && week.done)
    return (
      <div class="empty">
        <h2>No run in the last seven days</h2>
        {!atHub.value && <FirstSteps />}
      </div>
    );
  return (
    <p class="empty">
      Nothing was stopped {chosen === 'week' ? 'this week' : chosen}
      {runs === 0 ? ', and nothing ran.' : ': every call was allowed.'}
    </p>
  );
}

const WAYS: readonly (readonly [command: string, what: string])[] = [
  ['harness install claude-code', 'from then on every call of that agent is judged and on record'],
  ['harness import claude-code', 'its own transcripts, as runs'],
  ['harness run', 'an agent of ours, with the policy of the folder'],
  ['harness demo', 'one that tries what it should not, in a folder of its own'],
];

/** What makes runs. */
export function FirstSteps() {
  return (
    <dl class="ways">
      {WAYS.map(([command, what]) => (
        <div key={command}>
          <dt>
            <Command of={command} />
          </dt>
          <dd class="quiet">{what}</dd>
        </div>
      ))}
    </dl>
  );
}

function WaitingList() {
  const open = openQuestions();
  if (open.length === 0) return null;
  return (
    <section class="card" aria-labelledby="waiting-title">
      <h2 id="waiting-title">Waits for you</h2>
      <ul class="plain">
        {open.slice(0, 4).map((question) => (
          <li key={question.id}>
            <a href={`/approvals#q-${encoded(question.id)}`} class="cut">
              <Text of={question.does[0] ?? question.call.slice(0, 2).join(' ')} />
            </a>
            <span class="quiet">
              <Text of={question.host} />, {span(question.waitedMs)}
            </span>
          </li>
        ))}
      </ul>
    </section>
  );
}

interface Disturbance {
  readonly key: string;
  readonly times: number;
  readonly rule: string;
  /** In one line, and in full. */
  readonly short: string;
  readonly says: string;
  readonly href: string;
  readonly todo: string;
}

/** Questions that people nearly always answer with yes, and calls that were stopped because a hook broke. */
function disturbances(week: Week | null): readonly Disturbance[] {
  if (week === null) return [];
  const broken = week.rules
    .filter(({ action }) => action === 'failed')
    .map(
      ({ rule, hook, count: times, newest }): Disturbance => ({
        key: `failed ${rule}`,
        times,
        rule,
        short: `broke, and stopped ${count(times, 'call')} of ordinary work`,
        says: `stopped ${count(times, 'call')} because it broke: ${newest.reason ?? ''}`,
        ...(hook === null
          ? { href: pathTo('runs', newest.run, newest.seq), todo: 'Show' }
          : { href: playgroundHref(hook, newest), todo: 'Repair it' }),
      }),
    );
  const asked = week.asked
    .filter(({ asked: all, allowed, denied }) => denied === 0 && allowed >= 2 && allowed >= all / 2)
    .map(
      ({ rule, asked: all, allowed }): Disturbance => ({
        key: `asked ${rule}`,
        times: all,
        rule,
        short: `asks about what is always allowed: ${all} times this week`,
        says: `asked ${all === 1 ? 'once' : `${all} times`}, answered yes ${allowed === 1 ? 'once' : `${allowed} times`}, never no`,
        href: '/policy#asked',
        todo: 'Let it pass',
      }),
    );
  return [...broken, ...asked];
}

function Disturbed({ week }: { week: Week | null }) {
  const all = disturbances(week);
  return (
    <section class="card" id="disturbed" aria-labelledby="disturbed-title">
      <h2 id="disturbed-title">Ordinary work that was disturbed</h2>
      {all.length === 0 ? (
        <p class="quiet">
          {week === null ? '…' : 'No question that is always answered with yes, and no hook that broke.'}
        </p>
      ) : (
        <ul class="plain">
          {all.map(({ key, rule, says, href, todo }) => (
            <li key={key}>
              <span class="says">
                <b>
                  <Text of={rule} />
                </b>{' '}
                <span class="quiet">
                  <Text of={says} />
                </span>
              </span>
              <a href={href}>{todo}</a>
            </li>
          ))}
        </ul>
      )}
    </section>
  );
}

const STATES: Readonly<Record<Guarded['state'], readonly [kind: string, text: string]>> = {
  on: ['allow', 'guarded'],
  doubtful: ['ask', 'to look at'],
  watched: ['modify', 'recorded only'],
};

function GuardedList({ guards }: { guards: Guards | null }) {
  return (
    <section class="card" aria-labelledby="guarded-title">
      <h2 id="guarded-title">{atHub.value ? 'Machines' : 'Guarded here'}</h2>
      {guards === null ? (
        <p class="quiet">…</p>
      ) : guards.guarded.length === 0 ? (
        <>
          <p class="quiet">
            {atHub.value ? 'None has joined yet:' : 'No agent asks this policy yet. Connect one:'}
          </p>
          <Command of={atHub.value ? 'harness hub token --join' : 'harness install'} />
        </>
      ) : (
        <ul class="plain">
          {guards.guarded.map(({ name, kind, state, where }) => (
            <li key={`${kind} ${name} ${where}`}>
              <span class="cut">
                <b>
                  <Text of={name} />
                </b>{' '}
                <span class="quiet">
                  {kind === 'agent' || kind === 'machine' ? '' : `${kind}, `}
                  <Text of={where} />
                </span>
              </span>
              <span class={`v-${STATES[state][0]}`}>
                {kind === 'machine' && state === 'on' ? 'well' : STATES[state][1]}
              </span>
            </li>
          ))}
        </ul>
      )}
    </section>
  );
}
