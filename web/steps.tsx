/** The conversation of a run, line by line: prompts, answers and calls, what was stopped in words, and when each happened in its turn. */
import { visible } from '../src/base/visible.ts';
import type { Step, StepLine } from '../src/page/server/api.ts';
import { inConditional } from '../src/page/would.ts';
import { pathTo } from './address.ts';
import { short, span } from './figures.ts';
import { List, useRowHeight } from './list.tsx';
import { clock, shortWhy, Text, Verdict } from './words.tsx';

type First = Step & { readonly line: 0 };

const isFirst = (line: StepLine): line is First => line.line === 0;

/** The entry that says most of a step: of an answer its end. */
export function entryOf({ kind, seq, parts }: Step): number {
  return kind === 'answer' ? (parts.findLast(({ event }) => event === 'completion.post')?.seq ?? seq) : seq;
}

export function Conversation({
  id,
  selected,
  size,
  running,
}: {
  id: string;
  selected: number | null;
  size: number;
  running: boolean;
}) {
  const height = useRowHeight(28, 30);
  // Another size is another list: a run that goes on is read again.
  const from = `${pathTo('runs', id, 'steps')}${running ? `?size=${size}` : ''}`;
  return (
    <List<StepLine>
      from={from}
      label="Conversation"
      height={height}
      href={(line) => (isFirst(line) ? pathTo('runs', id, entryOf(line)) : pathTo('runs', id))}
      row={(line) => (isFirst(line) ? <StepRow step={line} /> : null)}
      linesOf={(line) => (isFirst(line) ? line.lines : 0)}
      isSelected={(line) =>
        selected !== null && isFirst(line) && line.parts.some(({ seq }) => seq === selected)
      }
      follow={running && selected === null}
      empty="Nothing was said or called in this run. Every entry of its tape is under “Every entry”."
    />
  );
}

const GLYPHS: Readonly<Record<Step['kind'], string>> = {
  prompt: '›',
  answer: '◆',
  call: '',
  agent: '⤷',
  event: '·',
};

function StepRow({ step }: { step: Step }) {
  const { kind, depth, who, at, action, lines } = step;
  const stopped = lines === 3;
  const state = stopped ? (action === 'ask' ? 'asked' : 'stopped') : '';
  return (
    <span class={`step k-${kind} ${state}`}>
      <span class="c-time">{at === null ? '' : clock(at)}</span>
      <span class="step-body" style={{ paddingLeft: `${depth * 18}px` }}>
        <span class="glyph" aria-hidden="true">
          {GLYPHS[kind]}
        </span>
        <span class="step-words">{stopped ? <Stopped step={step} /> : <Plain step={step} />}</span>
        {who !== null && kind === 'prompt' && (
          <span class="tag">
            <Text of={who} />
          </span>
        )}
      </span>
      <span class="took">{tookOf(step)}</span>
      <Bar step={step} />
    </span>
  );
}

function tookOf({ kind, tookMs, action, lines }: Step): string {
  if (action === 'block') return '';
  if (tookMs !== null) return span(tookMs);
  return action === null && lines === 1 && kind === 'call' ? 'waits' : '';
}

function Plain({
  step: { kind, tool, text, event, rewritten, failed, verdict, tokens, reason },
}: {
  step: Step;
}) {
  return (
    <>
      {kind === 'call' && tool !== null && (
        <b class="tool">
          <Text of={tool} />
        </b>
      )}
      {kind === 'event' && (
        <b class="tool">
          <Text of={EVENT_WORDS[event] ?? event} />
        </b>
      )}
      {kind === 'agent' && <b class="tool">sub-agent</b>}
      <span class={kind === 'call' || kind === 'event' ? 'mono step-text' : 'step-text'}>
        <Text of={text === '' && kind === 'answer' ? 'an answer without text' : text} />
      </span>
      {rewritten && <span class="tag">~ rewritten</span>}
      {failed && <span class="tag bad">! a hook failed</span>}
      {verdict !== null && !QUIET.has(verdict) && (
        <span class="tag bad" title={reason === null ? undefined : visible(reason)}>
          <Text of={verdict.replace('_', ' ')} />
        </span>
      )}
      {tokens !== null && <span class="quiet tokens">{short(tokens.sent + tokens.received)} tok</span>}
    </>
  );
}

const QUIET: ReadonlySet<string> = new Set(['ran', 'allowed']);
const EVENT_WORDS: Readonly<Record<string, string>> = { 'policy.changed': 'policy', call: 'call' };

/** What it is, what it would have done, and who stopped it. */
function Stopped({ step }: { step: Step }) {
  const { tool, text, event, action, word, does, rule, hook, reason, verdict } = step;
  return (
    <>
      <span class="cut">
        <Verdict action={action} word={word ?? undefined} />{' '}
        <b class="tool">
          <Text of={tool ?? event} />
        </b>{' '}
        <span class="mono">
          <Text of={text} />
        </span>
        {verdict === 'ran' && <span class="tag good">answered yes, ran</span>}
      </span>
      <span class="cut does">
        <Text
          of={does.length === 0 ? (reason ?? '') : verdict === 'ran' ? does.join(' ') : inConditional(does)}
        />
      </span>
      <span class="cut quiet">
        by{' '}
        <b>
          <Text of={rule ?? hook ?? 'no hook'} />
        </b>
        {does.length > 0 && reason !== null && (
          <>
            {': '}
            <Text of={shortWhy(reason, rule)} />
          </>
        )}
      </span>
    </>
  );
}

/** When it happened and how long it took, in the time of its turn. */
function Bar({ step: { at, tookMs, turn, kind, lines, action } }: { step: Step }) {
  if (at === null || turn === null || kind === 'prompt' || turn.until <= turn.from)
    return <span class="fall" aria-hidden="true" />;
  const whole = turn.until - turn.from;
  const left = Math.min(99.5, Math.max(0, ((at - turn.from) / whole) * 100));
  const width = Math.min(100 - left, ((tookMs ?? 0) / whole) * 100);
  const state = lines === 3 ? (action === 'ask' ? 'ask' : 'block') : kind;
  return (
    <span class="fall" aria-hidden="true">
      <span class={`fall-bar b-${state}`} style={{ left: `${left}%`, width: `${width}%` }} />
    </span>
  );
}
