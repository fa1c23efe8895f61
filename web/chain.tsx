/** One hook of a chain with what it saw and said, and what it rewrote. */
import type { Json } from '../src/base/json.ts';
import { visible } from '../src/base/visible.ts';
import type { Link } from '../src/page/server/api.ts';
import { Code, duration, Text, Verdict } from './words.tsx';

const STATES: Readonly<Record<Link['state'], string>> = {
  ran: '',
  unmatched: 'does not apply',
  condition_failed: 'its condition raised',
  unreached: 'not reached',
};

/** As it ran; `withReason`: the reason of the hook that decided stands nowhere else. */
export function Chain({ chain, withReason = true }: { chain: readonly Link[]; withReason?: boolean }) {
  return (
    <ol class="chain">
      {folded(chain).map((links) => {
        const [link] = links;
        // The same hook may stand there twice.
        const key = `${chain.indexOf(link!)} ${link!.hook}`;
        return links.length > 1 ? (
          <Fold key={key} links={links} />
        ) : (
          <ChainLink key={key} link={link!} withReason={withReason || !link!.counted} />
        );
      })}
    </ol>
  );
}

/** Neighbours with nothing to say are one line. */
const FEWEST = 4;

function folded(chain: readonly Link[]): readonly (readonly Link[])[] {
  const groups: Link[][] = [];
  for (const link of chain) {
    const last = groups.at(-1);
    if (last !== undefined && isSilent(link) && isSilent(last[0]!)) last.push(link);
    else groups.push([link]);
  }
  return groups.flatMap((group) => (group.length < FEWEST ? group.map((link) => [link]) : [group]));
}

function isSilent({ state, said, counted, remarks, effects }: Link): boolean {
  const spoke = state === 'condition_failed' || (said ?? 'allow') !== 'allow';
  return !spoke && !counted && remarks.length === 0 && effects.length === 0;
}

function Fold({ links }: { links: readonly Link[] }) {
  const times = (state: Link['state']) => links.filter((link) => link.state === state).length;
  const words = [
    [times('ran'), 'allowed it'],
    [times('unmatched'), 'do not apply'],
    [times('unreached'), 'not reached'],
  ].flatMap(([number, text]) => (number === 0 ? [] : [`${number} ${text}`]));
  return (
    <li class="off">
      <details class="fold">
        <summary>
          <span class="pri" />
          <span class="quiet cut">
            {words.join(', ')}: <Text of={links.map(({ hook }) => hook).join(', ')} />
          </span>
        </summary>
        <ol class="chain">
          {links.map((link, i) => (
            <ChainLink key={`${i} ${link.hook}`} link={link} withReason />
          ))}
        </ol>
      </details>
    </li>
  );
}

function ChainLink({ link, withReason }: { link: Link; withReason: boolean }) {
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
  // A remark that says why it did not count says it too.
  const isSaid = reason !== null && state === 'ran' && !remarks.some((remark) => remark.includes(reason));
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
      {isSaid && withReason && (
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
