/**
 * The playground of the site: a hook and an event, decided in this browser as they are typed. What is edited is kept in the address, after
 * the `#`, which no server is told.
 */
import { render } from 'preact';
import { useEffect, useState } from 'preact/hooks';
import workerText from 'worker-text';
import type { Json } from '../src/base/json.ts';
import { describeEvents, samplePayload } from '../src/engine/describe.ts';
import type { Tried } from '../src/page/server/api.ts';
import { Editor } from '../web/editor.tsx';
import { Problems, TriedView } from '../web/tried.tsx';
import { Problem } from '../web/words.tsx';
import './playground.css';
import { Decider } from './decider.ts';
import { EXAMPLES } from './examples.ts';

const WAIT_MS = 300;
const EVENTS = describeEvents().filter(({ name }) => !name.includes('*'));
const decider = new Decider(workerText);

interface Draft {
  readonly hook: string;
  readonly event: string;
  /** As it is typed, JSON or not. */
  readonly payload: string;
}

function exampleDraft(at: number): Draft {
  const { text, event, payload } = EXAMPLES[at] ?? EXAMPLES[0]!;
  return { hook: text, event, payload: JSON.stringify(payload, null, 2) };
}

/** Whatever the address says that is no draft of ours is left out. */
function fromAddress(): Draft {
  const words = new URLSearchParams(window.location.hash.slice(1));
  const first = exampleDraft(0);
  const event = words.get('event') ?? first.event;
  return {
    hook: words.get('hook') ?? first.hook,
    event: EVENTS.some(({ name }) => name === event) ? event : first.event,
    payload: words.get('payload') ?? first.payload,
  };
}

function sampleOf(event: string): string {
  const known = EXAMPLES.find((example) => example.event === event)?.payload;
  const field = EVENTS.find(({ name }) => name === event)?.payload;
  const value: Json = known ?? (field === undefined ? {} : samplePayload(field));
  return JSON.stringify(value, null, 2);
}

function nameOf(hook: string): string {
  return /^# (\w+)\s*$/m.exec(hook)?.[1] ?? 'hook';
}

interface Shown {
  readonly tried: Tried | null;
  readonly listens: string | null;
  readonly fault: string | null;
}

function Playground() {
  const [draft, setDraft] = useState(fromAddress);
  const [shown, setShown] = useState<Shown>({ tried: null, listens: null, fault: null });
  const [copied, setCopied] = useState(false);
  const { hook, event, payload } = draft;
  const file = `.harness/hooks/${nameOf(hook)}.md`;
  const edit = (change: Partial<Draft>) => setDraft((old) => ({ ...old, ...change }));
  useEffect(() => {
    const follow = () => setDraft(fromAddress());
    window.addEventListener('hashchange', follow);
    return () => window.removeEventListener('hashchange', follow);
  }, []);

  useEffect(() => {
    setCopied(false);
    const timer = setTimeout(() => {
      const words = new URLSearchParams({ event, hook, payload });
      // Not as a step back, and without the event that a person's change of the address is.
      window.history.replaceState(null, '', `#${words}`);
      const read = readPayload(payload);
      if ('fault' in read) return setShown((old) => ({ ...old, fault: read.fault }));
      decider.decide({ file, text: hook, event, payload: read.value }).then((answer) => {
        if (answer === null) return;
        if ('fault' in answer) setShown((old) => ({ ...old, tried: null, fault: answer.fault }));
        else setShown({ tried: answer.tried, listens: answer.event, fault: null });
      });
    }, WAIT_MS);
    return () => clearTimeout(timer);
  }, [hook, event, payload]);

  const { tried, listens, fault } = shown;
  const copy = () =>
    void navigator.clipboard?.writeText(window.location.href).then(
      () => setCopied(true),
      () => {},
    );
  return (
    <main class="two" id="content">
      <h1 class="hidden">Playground</h1>
      <section class="half" aria-label="The hook">
        <div class="bar">
          <select
            aria-label="example"
            value=""
            onChange={(e) => {
              if (e.currentTarget.value !== '') setDraft(exampleDraft(Number(e.currentTarget.value)));
              e.currentTarget.value = '';
            }}
          >
            <option value="">Examples…</option>
            {EXAMPLES.map(({ title }, at) => (
              <option key={title} value={at}>
                {title}
              </option>
            ))}
          </select>
          <span class="grow" />
          <button type="button" onClick={copy}>
            {copied ? 'Link copied' : 'Copy link'}
          </button>
        </div>
        <Editor text={hook} problems={tried?.problems ?? []} onChange={(text) => edit({ hook: text })} />
        <p class="pad quiet" role="status">
          {(tried?.problems ?? []).length === 0
            ? `${file}: no problem is found.`
            : `${tried!.problems.length} found:`}
        </p>
        <Problems of={tried?.problems ?? []} file={file} />
      </section>
      <section class="half scrolls" aria-label="The event">
        <div class="bar">
          <label>
            event{' '}
            <select
              aria-label="event"
              value={event}
              onChange={(e) =>
                edit({ event: e.currentTarget.value, payload: sampleOf(e.currentTarget.value) })
              }
            >
              {EVENTS.map(({ name }) => (
                <option key={name} value={name}>
                  {name}
                </option>
              ))}
            </select>
          </label>
          <span class="quiet">{EVENTS.find(({ name }) => name === event)?.fires}</span>
        </div>
        <textarea
          class="payload mono"
          aria-label="payload"
          spellcheck={false}
          value={payload}
          onInput={(e) => edit({ payload: e.currentTarget.value })}
        />
        {fault !== null && <Problem>{fault}</Problem>}
        {listens !== null && listens !== event && listens !== '*' && (
          <p class="pad v-ask" role="status">
            This hook listens to {listens}; nobody asks it here.{' '}
            <button type="button" onClick={() => edit({ event: listens, payload: sampleOf(listens) })}>
              Fire {listens}
            </button>
          </p>
        )}
        {tried !== null && <TriedView tried={tried} />}
        {tried === null && fault === null && <p class="pad quiet">The engine is loading…</p>}
      </section>
    </main>
  );
}

function readPayload(text: string): { readonly value: Json } | { readonly fault: string } {
  try {
    return { value: text.trim() === '' ? null : (JSON.parse(text) as Json) };
  } catch (thrown) {
    return { fault: `the payload is no JSON: ${(thrown as Error).message}` };
  }
}

render(<Playground />, document.getElementById('page')!);
