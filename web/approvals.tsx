/** Approvals: what waits for a person, the whole of it; a yes or a no only after it was looked at once more. */
import { signal } from '@preact/signals';
import { useEffect, useRef, useState } from 'preact/hooks';
import { visible } from '../src/base/visible.ts';
import type { ApprovalsView, QuestionView } from '../src/page/server/api.ts';
import { readOnly, waiting } from './about.ts';
import { go, path, pathTo, query, withQuery } from './address.ts';
import { ask, type Loaded, useLoad } from './api.ts';
import { span } from './figures.ts';
import { Code, count, moment, Problem, Text, Verdict, Waiting, whyOf } from './words.tsx';

const POLL_MS = 1500;

const queue = signal<Loaded<ApprovalsView>>({ data: null, error: null });
/** What became of the last notification. */
const notified = signal<'shown' | 'refused' | null>(null);

/** Those that wait for an answer from here; what an agent puts to its own user does not. */
export function openQuestions(): readonly QuestionView[] {
  return (queue.value.data?.questions ?? []).filter(({ state, elsewhere }) => state === 'open' && !elsewhere);
}

/** Asked for on every page: a question must be seen wherever somebody is. Of this project, unless the approvals of all are looked at. */
export function useApprovals(): void {
  const everywhere = path.value[0] === 'approvals' && query.value.has('all');
  const loaded = useLoad<ApprovalsView>(everywhere ? '/approvals?all=1' : '/approvals', () => POLL_MS);
  const open = openQuestions();
  const newest = open.at(-1);
  useEffect(() => {
    queue.value = loaded;
  }, [loaded]);
  useEffect(() => {
    waiting.value = open.length;
    if (newest !== undefined) notify(newest);
  }, [newest?.id, open.length]);
}

/** Who asks and by which rule; never what the call holds. */
function notify({ id, host, asks }: QuestionView): void {
  if (typeof Notification === 'undefined' || Notification.permission !== 'granted') return;
  const rules = asks.map(({ rule }) => rule).join(', ');
  const notification = new Notification('Harness: an agent asks', {
    body: visible(`${host}: ${rules}`),
    tag: id,
  });
  notification.onshow = () => (notified.value = 'shown');
  notification.onerror = () => (notified.value = 'refused');
  notification.onclick = () => {
    window.focus();
    go('/approvals');
    notification.close();
  };
}

interface Answering {
  readonly kind: 'once' | 'session' | 'deny';
  readonly ticket: string;
  readonly question: QuestionView;
}

export function ApprovalsPage() {
  const { data, error } = queue.value;
  const [answering, setAnswering] = useState<Answering | null>(null);
  const [told, setTold] = useState<string | null>(null);
  const [asks, setAsks] = useState(typeof Notification === 'undefined' ? 'denied' : Notification.permission);
  if (data === null)
    return <main>{error === null ? <Waiting what="Reading" /> : <Problem>{error}</Problem>}</main>;
  const open = data.questions.filter(({ state, elsewhere }) => state === 'open' && !elsewhere);
  const elsewhere = data.questions.filter((question) => question.state === 'open' && question.elsewhere);
  const past = data.questions.filter(({ state }) => state !== 'open').reverse();
  const mute = readOnly.value ? 'this page is read-only' : data.mute;
  const begin = (question: QuestionView, kind: Answering['kind']) =>
    ask<{ ticket: string; question: QuestionView }>(pathTo('approvals', question.id, 'look'), {}).then(
      (look) => setAnswering({ kind, ...look }),
      (failed: Error) => setTold(failed.message),
    );
  return (
    <main class="scroll">
      <div class="bar flush">
        <h1>Approvals</h1>
        <span class="quiet" role="status">
          {open.length === 0 ? 'nothing waits' : `${count(open.length, 'question')} waiting`}
        </span>
        <span class="grow" />
        <label class="check">
          <input
            type="checkbox"
            checked={data.folder === null}
            onChange={(event) => go(withQuery({ all: event.currentTarget.checked ? '1' : '' }), 'replace')}
          />{' '}
          of all projects{data.others > 0 && ` (${data.others} more wait)`}
        </label>
        {asks === 'default' && (
          <button type="button" onClick={() => void Notification.requestPermission().then(setAsks)}>
            Notify me
          </button>
        )}
        {asks === 'granted' && (
          <span class={notified.value === 'refused' ? 'v-ask' : 'quiet'}>
            {NOTIFIED[notified.value ?? 'on']}
          </span>
        )}
      </div>
      {mute !== null && (
        <p class="v-ask">
          ! Questions are only shown here:{' '}
          {mute
            .split('`')
            .map((part, i) =>
              i % 2 === 0 ? <Text key={part} of={part} /> : <code key={part}>{visible(part)}</code>,
            )}
        </p>
      )}
      {told !== null && <p role="alert">{told}</p>}
      {open.map((question) => (
        <Question key={question.id} question={question}>
          {mute === null && (
            <div class="bar flush">
              <button type="button" onClick={() => begin(question, 'once')}>
                Allow once…
              </button>
              <button type="button" onClick={() => begin(question, 'session')}>
                Allow for its session…
              </button>
              <button type="button" onClick={() => begin(question, 'deny')}>
                Deny…
              </button>
            </div>
          )}
        </Question>
      ))}
      {open.length === 0 && past.length === 0 && (
        <div class="empty">
          <h2>Nothing waits for you</h2>
          <p>
            Where a rule asks, the agent waits, and its call is shown here and on every view. While this page
            is open, agents wait for it.
          </p>
        </div>
      )}
      {elsewhere.length > 0 && <h2>Asked where the agent runs</h2>}
      {elsewhere.map((question) => (
        <Question key={question.id} question={question} />
      ))}
      {past.length > 0 && <h2>Answered in the last hour</h2>}
      {past.map((question) => (
        <Question key={question.id} question={question} />
      ))}
      {answering !== null && (
        <Confirm
          answering={answering}
          onEnd={(text) => {
            setAnswering(null);
            setTold(text);
          }}
        />
      )}
    </main>
  );
}

/** A rule of a pack, as its reason names it. */
function ruleIn(reason: string): string | null {
  return / by the rule ([\w/-]+): /.exec(reason)?.[1] ?? null;
}

function Question({ question, children }: { question: QuestionView; children?: preact.ComponentChildren }) {
  const {
    state,
    host,
    session,
    folder,
    cwd,
    call,
    does,
    warnings,
    asks,
    asked,
    waitedMs,
    leftMs,
    elsewhere,
    answer,
  } = question;
  const isOpen = state === 'open';
  return (
    <article
      id={`q-${question.id}`}
      class={`question ${isOpen && !elsewhere ? 'is-open' : ''}`}
      aria-label={visible(`${question.tool}, asked by ${host}`)}
    >
      <p class="quiet">
        <Verdict
          action={isOpen ? 'ask' : answer?.approved === true ? 'allow' : 'block'}
          word={isOpen ? (elsewhere ? 'asked there' : 'waits') : state}
        />{' '}
        <b class="asker">
          <Text of={host} />
        </b>{' '}
        in <Text of={cwd ?? folder} />, session{' '}
        <span class="mono">
          <Text of={session.slice(0, 8)} />
        </span>
        {cwd !== null && cwd !== folder && (
          <>
            , by the policy of <Text of={folder} />
          </>
        )}
        {isOpen ? `, for ${span(waitedMs)}, ${remainingText(leftMs)} left` : `, asked ${moment(asked)}`}
      </p>
      {does.length > 0 && (
        <p class="lead-does">
          <Text of={does.join(' ')} />
        </p>
      )}
      {warnings.map((warning) => (
        <Problem key={warning}>{warning}</Problem>
      ))}
      <Code of={call.filter((line) => !line.startsWith('What it does: ')).join('\n')} label="The call" />
      {asks.map(({ rule, place, reason }) => (
        <p key={rule}>
          <b>
            <Text of={rule} />
          </b>{' '}
          <span class="mono quiet">
            <Text of={place} />
          </span>{' '}
          <Text of={whyOf(reason, ruleIn(reason))} />
        </p>
      ))}
      {elsewhere && state === 'open' && (
        <p class="quiet">The agent asks its own user too; a yes here counts if it tries again.</p>
      )}
      {answer !== null && (
        <p class="quiet">
          {answer.approved ? 'allowed' : 'denied'}{' '}
          {answer.scope === 'once' ? 'once' : `for its ${answer.scope}`} by {answer.by}, {moment(answer.at)}
          {answer.reason === null ? '' : ': '}
          <Text of={answer.reason ?? ''} />
        </p>
      )}
      {children}
    </article>
  );
}

const NOTIFIED = {
  on: 'notifications are on',
  shown: 'notifications are on, the last was shown',
  refused: '! the browser did not show the last notification',
} as const;

function remainingText(ms: number): string {
  const seconds = Math.ceil(ms / 1000);
  return seconds < 120 ? `${seconds} s` : `${Math.ceil(seconds / 60)} min`;
}

const TITLES = {
  once: 'Let this one call run?',
  session: 'Let this call run for the rest of its session?',
  deny: 'Deny it?',
} as const;

function Confirm({
  answering: { kind, ticket, question },
  onEnd,
}: {
  answering: Answering;
  onEnd: (told: string | null) => void;
}) {
  const dialog = useRef<HTMLDialogElement>(null);
  const [reason, setReason] = useState('');
  const [error, setError] = useState<string | null>(null);
  useEffect(() => dialog.current?.showModal(), []);
  const send = (event: Event) => {
    event.preventDefault();
    const body = {
      ticket,
      digest: question.digest,
      approved: kind !== 'deny',
      scope: kind === 'session' ? 'session' : 'once',
      reason,
    };
    ask<{ receipt: string }>(pathTo('approvals', question.id, 'answer'), body).then(
      ({ receipt }) => onEnd(receipt === 'taken' ? null : `Your answer changes nothing: ${receipt}.`),
      (failed: Error) => setError(failed.message),
    );
  };
  return (
    <dialog ref={dialog} class="confirm" aria-label={TITLES[kind]} onClose={() => onEnd(null)}>
      <form onSubmit={send}>
        <h2>{TITLES[kind]}</h2>
        {question.warnings.map((warning) => (
          <Problem key={warning}>{warning}</Problem>
        ))}
        <Code of={question.call.join('\n')} label="The call, once more" />
        <label>
          {kind === 'deny' ? 'Why (the agent sees this)' : 'Why (recorded)'}{' '}
          <input
            type="text"
            value={reason}
            required={kind === 'deny'}
            onInput={(event) => setReason(event.currentTarget.value)}
          />
        </label>
        {error !== null && <Problem>{error}</Problem>}
        <div class="bar flush">
          <button type="button" onClick={() => onEnd(null)}>
            Leave it open
          </button>
          <button type="submit" class={kind === 'deny' ? '' : 'danger'}>
            {kind === 'deny' ? 'Deny' : 'Yes, let it run'}
          </button>
        </div>
      </form>
    </dialog>
  );
}
