/** Guards that are off or doubtful, as quiet rows with the one thing to do; a dismissed one comes back once it says something else. */
import { useState } from 'preact/hooks';
import { visible } from '../src/base/visible.ts';
import type { Warning } from '../src/page/server/api.ts';
import { isTexts, stored } from './stored.ts';
import { Text } from './words.tsx';

/** More ids than there can be warnings worth remembering. */
const MOST = 200;
const dismissed = stored<readonly string[]>('harness-dismissed', [], isTexts);

export function openWarnings(warnings: readonly Warning[]): readonly Warning[] {
  return warnings.filter(({ id }) => !dismissed.value.value.includes(id));
}

export function Warnings({ warnings }: { warnings: readonly Warning[] }) {
  const [all, setAll] = useState(false);
  const open = openWarnings(warnings);
  const hidden = warnings.length - open.length;
  if (warnings.length === 0) return null;
  return (
    <section class="warnings" aria-label="Guards to look at">
      <ul>
        {(all ? warnings : open).map((warning) => (
          <Row key={warning.id} warning={warning} isOpen={open.includes(warning)} />
        ))}
      </ul>
      {hidden > 0 && (
        <p class="quiet">
          {hidden} dismissed{' '}
          <button type="button" class="link" onClick={() => setAll(!all)}>
            {all ? 'hide' : 'show'}
          </button>
        </p>
      )}
    </section>
  );
}

function Row({ warning: { id, text, command, href }, isOpen }: { warning: Warning; isOpen: boolean }) {
  const ids = dismissed.value.value;
  return (
    <li class={isOpen ? '' : 'is-dismissed'}>
      <span class="v-ask" aria-hidden="true">
        !
      </span>
      <span class="says">
        <Text of={text} />
      </span>
      {command !== null && <Command of={command} />}
      {href !== null && <a href={href}>Show</a>}
      <button
        type="button"
        class="link"
        aria-label={visible(`${isOpen ? 'Dismiss' : 'Restore'}: ${text.slice(0, 60)}`)}
        onClick={() => dismissed.save(isOpen ? [...ids, id].slice(-MOST) : ids.filter((each) => each !== id))}
      >
        {isOpen ? 'Dismiss' : 'Restore'}
      </button>
    </li>
  );
}

/** A command to run in a terminal; a click copies it. */
export function Command({ of }: { of: string }) {
  const [copied, setCopied] = useState(false);
  return (
    <button
      type="button"
      class="command"
      title="Copy"
      onClick={() =>
        void navigator.clipboard?.writeText(of).then(
          () => setCopied(true),
          () => {},
        )
      }
    >
      <code>
        <Text of={of} />
      </code>
      <span class="quiet" role="status">
        {copied ? 'copied' : ''}
      </span>
    </button>
  );
}
