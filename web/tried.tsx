/** A hook in an editor and what it decides: shared by the page of `harness ui` and the playground of the site, so it asks no server. */
import type { Tried } from '../src/page/server/api.ts';
import { Chain, DiffBlock } from './chain.tsx';
import { count, Text, Verdict } from './words.tsx';

export function TriedView({ tried }: { tried: Tried }) {
  const { action, word, event, hook, place, reason, chain, changes, effects, warnings, command } = tried;
  return (
    <div class="pad">
      <h2 class="decided" aria-live="polite">
        <Verdict action={action} word={word} /> <Text of={event} />
      </h2>
      {command !== null && command.does.length > 0 && (
        <p class="lead-does">
          <Text of={command.does.join(' ')} />
        </p>
      )}
      {hook !== null && (
        <p>
          by{' '}
          <b>
            <Text of={hook} />
          </b>{' '}
          <span class="mono quiet">
            <Text of={place ?? ''} />
          </span>
        </p>
      )}
      {reason !== null && (
        <p>
          <Text of={reason} />
        </p>
      )}
      {warnings.map((warning) => (
        <p key={warning} class="v-ask">
          ! <Text of={warning} />
        </p>
      ))}
      {changes.map((change) => (
        <DiffBlock key={change.path} path={change.path} before={change.before} after={change.after} />
      ))}
      {command !== null && <CommandRead command={command} />}
      <h3>The chain: {count(chain.length, 'hook')}</h3>
      <Chain chain={chain} withReason={hook === null} />
      {effects.length > 0 && (
        <>
          <h3>Left behind</h3>
          <ul class="problems">
            {effects.map((effect) => (
              <li key={effect}>
                <Text of={effect} />
              </li>
            ))}
          </ul>
        </>
      )}
      <p class="quiet">Decided without a machine: programs and addresses are not reached from here.</p>
    </div>
  );
}

const FACTS = ['reads', 'writes', 'deletes', 'via', 'marks'] as const;
const FACT_WORDS: Readonly<Record<(typeof FACTS)[number], string>> = {
  reads: 'reads',
  writes: 'writes',
  deletes: 'deletes',
  via: 'through',
  marks: 'is',
};

function CommandRead({ command }: { command: NonNullable<Tried['command']> }) {
  const { commands, complete, errors, looked, held } = command;
  return (
    <section class="command-read">
      <h3>How the command is read</h3>
      <ul class="problems">
        {commands.map((each, i) => (
          <li key={`${i} ${each.text}`}>
            {[each.program, ...each.args].map((word, at) => (
              <code key={`${at} ${word}`} class={at === 0 ? 'word program' : 'word'}>
                <Text of={word === '' ? '(none)' : word} />
              </code>
            ))}
            {FACTS.map((fact) =>
              each[fact].length === 0 ? null : (
                <span key={fact} class={fact === 'marks' ? 'v-ask' : 'quiet'}>
                  {' '}
                  {FACT_WORDS[fact]} <Text of={each[fact].join(', ')} />
                </span>
              ),
            )}
          </li>
        ))}
        <li class={complete ? 'quiet' : 'v-ask'}>
          {complete ? (
            'It is read as a whole.'
          ) : (
            <>
              It cannot be read as a whole. <Text of={errors.join('; ')} />
            </>
          )}
        </li>
      </ul>
      <h3>
        {count(looked.length, 'rule')} of the packs look{looked.length === 1 ? 's' : ''} at it,{' '}
        {held.length === 0 ? 'none holds' : `${held.length} hold${held.length === 1 ? 's' : ''}`}
      </h3>
      <ul class="problems">
        {held.map(({ rule, action, reason }) => (
          <li key={rule}>
            {action === 'none' ? <span class="quiet">not in force here:</span> : <Verdict action={action} />}{' '}
            <b>{rule}</b>: <Text of={reason} />
          </li>
        ))}
      </ul>
      {looked.length > held.length && (
        <details>
          <summary class="quiet">which</summary>
          <p class="mono">{looked.join(', ')}</p>
        </details>
      )}
    </section>
  );
}

/** Each with its place; `file` where there are several. */
export function Problems({ of, file = '' }: { of: Tried['problems']; file?: string }) {
  return (
    <ul class="problems pad">
      {of.map(({ severity, code, message, line, col }, i) => (
        <li key={`${i} ${code}`}>
          <span class={severity === 'error' ? 'v-block' : 'v-ask'}>{severity}</span>{' '}
          {line === null
            ? ''
            : `${file === '' ? 'line ' : `${file}:`}${line}${col === null ? '' : `:${col}`}: `}
          <Text of={message} />
        </li>
      ))}
    </ul>
  );
}
