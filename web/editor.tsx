/**
 * An editor for hooks: a text field, and under it the same text in colour with numbers of lines and marks of problems. Undo, search and
 * ways of typing are the browser's own.
 */
import { useMemo, useRef } from 'preact/hooks';
import { visible } from '../src/base/visible.ts';
import type { Tried } from '../src/page/server/api.ts';
import { colouredLines } from './hook-colours.ts';

const INDENT = '    ';

export function Editor({
  text,
  problems,
  onChange,
}: {
  text: string;
  problems: Tried['problems'];
  onChange: (text: string) => void;
}) {
  const lines = useMemo(() => colouredLines(text), [text]);
  // After Escape, Tab leaves the field.
  const leaving = useRef(false);
  const marks = new Map(problems.map((each) => [each.line ?? 1, each]));
  const onKeyDown = (event: KeyboardEvent) => {
    const { key } = event;
    if (key === 'Tab' && !leaving.current && !event.shiftKey) {
      event.preventDefault();
      insert(INDENT);
    } else if (key === 'Enter' && !event.isComposing) {
      event.preventDefault();
      insert(`\n${indentAfter(event.currentTarget as HTMLTextAreaElement)}`);
    }
    leaving.current = key === 'Escape';
  };
  return (
    <div class="editor">
      <div class="sheet">
        <div class="lines" aria-hidden="true">
          {lines.map((parts, at) => {
            const mark = marks.get(at + 1);
            return (
              <div key={at} class={`line ${mark === undefined ? '' : `is-${mark.severity}`}`}>
                {parts.map(({ kind, text: part }, i) =>
                  kind === 'plain' ? (
                    part
                  ) : (
                    <span key={i} class={`t-${kind}`}>
                      {part}
                    </span>
                  ),
                )}
              </div>
            );
          })}
        </div>
        <textarea
          aria-label="Text of the hook"
          aria-describedby={marks.size > 0 ? 'editor-problems' : undefined}
          spellcheck={false}
          autocapitalize="off"
          autocomplete="off"
          value={text}
          onInput={(event) => onChange(event.currentTarget.value)}
          onKeyDown={onKeyDown}
        />
      </div>
      {marks.size > 0 && (
        <span id="editor-problems" class="hidden">
          {[...marks.values()].map(({ message }) => visible(message)).join('. ')}
        </span>
      )}
    </div>
  );
}

/** As if it were typed, so that it can be undone. */
function insert(text: string): void {
  document.execCommand('insertText', false, text);
}

/** The next line stands where this one does, and further in after a colon. */
function indentAfter({ value, selectionStart }: HTMLTextAreaElement): string {
  const line = value.slice(value.lastIndexOf('\n', selectionStart - 1) + 1, selectionStart);
  const [indent = ''] = /^\s*/.exec(line) ?? [];
  return /\)\s*:\s*$|\b(?:else|try)\s*:\s*$|^\s*(?:if|for|elif|def)\b.*:\s*$/.test(line)
    ? indent + INDENT
    : indent;
}
