/** Playground: a hook edited beside an event, decided as it is typed. Nothing is written before somebody says so. */
import { useEffect, useState } from 'preact/hooks';
import { visible } from '../src/base/visible.ts';
import type { BacktestView, Decision, DraftFile, DraftFiles, Rows, Tried } from '../src/page/server/api.ts';
import { readOnly } from './about.ts';
import { encoded, go, pathTo, query, withQuery } from './address.ts';
import { ask, useLoad } from './api.ts';
import { Editor } from './editor.tsx';
import { Problems, TriedView } from './tried.tsx';
import { clock, Problem } from './words.tsx';

const NEW_HOOK = `---
event: tool.pre
priority: 50
when: payload["name"] == "run_command"
script: |
  def handle(event, payload):
      if "--force" in payload["args"].get("command", ""):
          return block("no force, please")
      return allow()
---

# No force

Stops what is forced.
`;

const NEW_PAYLOAD = '{\n  "name": "run_command",\n  "args": { "command": "git push --force" }\n}';
const WAIT_MS = 500;

/** What is being edited outlives the page it is edited on. */
const draft: { source: string; text: string; digest: string | null; opened: string | null } = {
  source: '',
  text: '',
  digest: null,
  opened: null,
};

export function PlaygroundPage() {
  const { data: files, error: filesError } = useLoad<DraftFiles>('/playground/hooks');
  const [source, setSource] = useState(draft.source);
  const [text, setText] = useState(draft.text);
  const [event, setEvent] = useState('tool.pre');
  const [payload, setPayload] = useState(NEW_PAYLOAD);
  const [tried, setTried] = useState<Tried | null>(null);
  const [error, setError] = useState<string | null>(null);
  const [saved, setSaved] = useState<string | null>(null);
  const changed = draft.opened !== null && text !== draft.opened;

  const open = (next: string) => {
    setSaved(null);
    if (next === '') return;
    const known = files?.hooks.some((hook) => hook.source === next) === true;
    const set = (file: { source: string; text: string; digest: string | null }) => {
      Object.assign(draft, file, { opened: file.digest === null ? '' : file.text });
      setSource(file.source);
      setText(file.text);
    };
    if (!known) return set({ source: next, text: NEW_HOOK, digest: null });
    ask<DraftFile>(`/playground/file?source=${encoded(next)}`).then(set, (failed: Error) =>
      setError(failed.message),
    );
  };

  const wanted = query.value.get('hook');
  useEffect(() => {
    if (files === null) return;
    const named = files.hooks.find((hook) => hook.name === wanted);
    // What is being edited stays, unless another hook is asked for.
    if (source !== '' && (named === undefined || named.source === source)) return;
    if (changed && !window.confirm(`Leave what you changed in ${source}?`)) return;
    // One that the event on the right is shown to.
    const first = named ?? files.hooks.find((hook) => hook.event === event) ?? files.hooks[0];
    open(first?.source ?? '.harness/hooks/new_hook.md');
  }, [files, wanted]);

  const [run, seq] = [query.value.get('run'), query.value.get('seq')];
  useEffect(() => {
    if (run === null || seq === null) return;
    ask<Decision>(pathTo('runs', run, 'decisions', seq)).then(
      (decision) => {
        setEvent(decision.event);
        setPayload(visible(JSON.stringify(decision.payload, null, 2)));
      },
      (failed: Error) => setError(failed.message),
    );
  }, [run, seq]);

  useEffect(() => {
    draft.text = text;
    if (text === '') return;
    const ended = new AbortController();
    const timer = setTimeout(() => {
      let value: unknown;
      try {
        value = payload.trim() === '' ? null : JSON.parse(payload);
      } catch (thrown) {
        setError(`the payload is no JSON: ${(thrown as Error).message}`);
        return;
      }
      ask<Tried>('/playground/decide', { source, text, event, payload: value }, ended.signal).then(
        (answer) => {
          setTried(answer);
          setError(null);
        },
        (failed: Error) => {
          if (!ended.signal.aborted) setError(failed.message);
        },
      );
    }, WAIT_MS);
    return () => {
      clearTimeout(timer);
      ended.abort();
    };
  }, [source, text, event, payload]);

  const backtest = () =>
    ask<BacktestView>('/backtest', { source, text }).then(
      ({ id }) => go(`/backtest?id=${id}`),
      (failed: Error) => setError(failed.message),
    );

  const save = () => {
    if (!window.confirm(`Write ${source}? The policy changes with the next event of a new session.`)) return;
    ask<DraftFile>('/playground/save', { source, text, digest: draft.digest }).then(
      (file) => {
        Object.assign(draft, file, { opened: file.text });
        setSaved(`${file.source} is written.`);
        setError(null);
      },
      (failed: Error) => setError(failed.message),
    );
  };

  return (
    <main class="two">
      <h1 class="hidden">Playground</h1>
      <section class="half" aria-label="The hook">
        <div class="bar">
          <label>
            <span class="hidden">hook</span>
            <select
              aria-label="hook"
              value={source}
              onChange={(e) => open(e.currentTarget.value === 'new' ? newName() : e.currentTarget.value)}
            >
              {(files?.hooks ?? []).map((hook) => (
                <option key={hook.source} value={hook.source}>
                  {hook.source}
                </option>
              ))}
              {source !== '' && files?.hooks.every((hook) => hook.source !== source) === true && (
                <option value={source}>{source} (new)</option>
              )}
              <option value="new">a new hook…</option>
            </select>
          </label>
          <span class="grow" />
          <button type="button" onClick={backtest} disabled={source === ''}>
            Backtest this
          </button>
          <button type="button" onClick={save} disabled={readOnly.value || !changed}>
            Save…
          </button>
        </div>
        <Editor text={text} problems={tried?.problems ?? []} onChange={setText} />
        <p class="pad quiet" role="status">
          {saved ??
            (changed
              ? 'Edited here only; nothing is written yet.'
              : source === ''
                ? 'Opening the hooks…'
                : 'As it is in the file.')}
        </p>
        <Problems of={tried?.problems ?? []} />
      </section>
      <section class="half scrolls" aria-label="The event">
        <div class="bar">
          <label>
            event{' '}
            <select aria-label="event" value={event} onChange={(e) => setEvent(e.currentTarget.value)}>
              {(files?.events ?? [event]).map((name) => (
                <option key={name} value={name}>
                  {name}
                </option>
              ))}
            </select>
          </label>
          <Recorded event={event} />
        </div>
        <CommandField payload={payload} onChange={setPayload} />
        <textarea
          class="payload mono"
          aria-label="payload"
          spellcheck={false}
          value={payload}
          onInput={(e) => setPayload(e.currentTarget.value)}
        />
        {filesError !== null && <Problem>{filesError}</Problem>}
        {error !== null && <Problem>{error}</Problem>}
        {tried !== null && <TriedView tried={tried} />}
      </section>
    </main>
  );
}

/** The command of the call, typed as one does at a prompt. */
function CommandField({ payload, onChange }: { payload: string; onChange: (payload: string) => void }) {
  const call = callIn(payload);
  if (call === null) return null;
  return (
    <label class="command-field">
      <span class="quiet mono" aria-hidden="true">
        $
      </span>
      <span class="hidden">command</span>
      <input
        type="text"
        class="mono"
        value={visible(call.args.command)}
        spellcheck={false}
        autocomplete="off"
        onInput={(event) =>
          onChange(
            JSON.stringify({ ...call, args: { ...call.args, command: event.currentTarget.value } }, null, 2),
          )
        }
      />
    </label>
  );
}

function callIn(payload: string): { args: { command: string } } | null {
  try {
    const call = JSON.parse(payload) as { args?: { command?: unknown } } | null;
    return typeof call?.args?.command === 'string' ? (call as { args: { command: string } }) : null;
  } catch {
    return null;
  }
}

function newName(): string {
  const name = window.prompt('Name of the new hook', 'no_force') ?? '';
  return /^[A-Za-z0-9][\w-]*$/.test(name) ? `.harness/hooks/${name}.md` : '';
}

function Recorded({ event }: { event: string }) {
  const { data } = useLoad<Rows>(`/decisions?event=${encoded(event)}&limit=60`, ({ done }) =>
    done ? null : 800,
  );
  return (
    <label class="grow">
      <span class="hidden">a recorded event</span>
      <select
        class="recorded"
        aria-label="a recorded event"
        value=""
        onChange={(e) => {
          const [run = '', seq = ''] = e.currentTarget.value.split('\n');
          go(withQuery({ run, seq }), 'replace');
        }}
      >
        <option value="">pick a recorded one…</option>
        {(data?.rows ?? []).map((row) => (
          <option key={`${row.run} ${row.seq}`} value={`${row.run}\n${row.seq}`}>
            {visible(`${clock(row.at)} ${row.action ?? ''} ${row.tool ?? ''} ${row.text.slice(0, 60)}`)}
          </option>
        ))}
      </select>
    </label>
  );
}
