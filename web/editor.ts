/**
 * The editor for hooks: CodeMirror in a shadow of its own, where its styles are sheets and not text, as the page's content policy wants.
 */
import { autocompletion, completionKeymap } from '@codemirror/autocomplete';
import { defaultKeymap, history, historyKeymap, indentWithTab } from '@codemirror/commands';
import { yamlFrontmatter } from '@codemirror/lang-yaml';
import { HighlightStyle, indentOnInput, StreamLanguage, syntaxHighlighting } from '@codemirror/language';
import { type Diagnostic, lintGutter, setDiagnostics } from '@codemirror/lint';
import { EditorState } from '@codemirror/state';
import { drawSelection, EditorView, highlightActiveLine, keymap, lineNumbers } from '@codemirror/view';
import { tags } from '@lezer/highlight';
import type { Tried } from '../src/page/server/api.ts';
import { scriptColours } from './script-colours.ts';

export interface Editor {
  setProblems(problems: Tried['problems']): void;
  focus(): void;
  destroy(): void;
}

const WORDS = [
  'allow()',
  'block("reason")',
  'ask("reason")',
  'modify({})',
  'remind("text")',
  'payload["name"]',
  'payload["args"]',
  'payload["args"].get("command", "")',
  'def handle(event, payload):',
  'event: tool.pre',
  'priority: 50',
  'when: payload["name"] == "run_command"',
  'mode: shadow',
  'on_error: block',
  'timeout_ms: 1000',
  'script: |',
  'log.info("text")',
  'metrics.incr("name")',
];

/** What stands below the front matter is prose: a whole grammar of it would weigh more than the rest of the editor's. */
const PROSE = StreamLanguage.define({
  token: (line) => {
    const heading = line.sol() && line.match(/^#{1,6} /) !== null;
    line.skipToEnd();
    return heading ? 'heading' : null;
  },
});

const theme = EditorView.theme({
  '&': { color: 'var(--ink)', backgroundColor: 'var(--paper)', fontSize: '12.5px', height: '100%' },
  '.cm-scroller': { fontFamily: 'var(--mono)', lineHeight: '1.5' },
  '.cm-content': { caretColor: 'var(--ink)' },
  '.cm-cursor': { borderLeftColor: 'var(--ink)' },
  '.cm-gutters': { backgroundColor: 'var(--raised)', color: 'var(--quiet)', border: 'none' },
  '.cm-activeLine': { backgroundColor: 'transparent' },
  '&.cm-focused': { outline: '2px solid var(--focus)' },
  '&.cm-focused .cm-selectionBackground, .cm-selectionBackground': {
    backgroundColor: 'var(--here) !important',
  },
  '.cm-tooltip': { backgroundColor: 'var(--raised)', color: 'var(--ink)', border: '1px solid var(--line)' },
  '.cm-tooltip-autocomplete ul li[aria-selected]': { backgroundColor: 'var(--here)', color: 'var(--ink)' },
  '.cm-diagnostic-error': { borderLeftColor: 'var(--block)' },
  '.cm-diagnostic-warning': { borderLeftColor: 'var(--ask)' },
});

const colours = HighlightStyle.define([
  { tag: [tags.keyword, tags.heading], color: 'var(--modify)' },
  { tag: [tags.propertyName, tags.definition(tags.propertyName)], color: 'var(--link)' },
  { tag: [tags.string, tags.special(tags.string)], color: 'var(--allow)' },
  { tag: [tags.comment, tags.meta], color: 'var(--quiet)' },
  { tag: [tags.number, tags.bool], color: 'var(--ask)' },
  { tag: tags.heading, fontWeight: 'bold' },
]);

export function openEditor(
  host: HTMLElement,
  label: string,
  text: string,
  onChange: (text: string) => void,
): Editor {
  const root = host.shadowRoot ?? host.attachShadow({ mode: 'open' });
  root.replaceChildren();
  const view = new EditorView({
    root,
    parent: root as unknown as Element,
    state: EditorState.create({
      doc: text,
      extensions: [
        lineNumbers(),
        history(),
        drawSelection(),
        indentOnInput(),
        highlightActiveLine(),
        lintGutter(),
        yamlFrontmatter({ content: PROSE }),
        syntaxHighlighting(colours),
        scriptColours,
        autocompletion({
          override: [
            (context) => {
              const word = context.matchBefore(/[\w.]+/);
              if (word === null && !context.explicit) return null;
              return { from: word?.from ?? context.pos, options: WORDS.map((each) => ({ label: each })) };
            },
          ],
        }),
        keymap.of([...completionKeymap, ...defaultKeymap, ...historyKeymap, indentWithTab]),
        EditorView.lineWrapping,
        EditorView.contentAttributes.of({ 'aria-label': label, tabindex: '0' }),
        EditorView.updateListener.of((update) => {
          if (update.docChanged) onChange(update.state.doc.toString());
        }),
        theme,
      ],
    }),
  });
  return {
    setProblems: (problems) =>
      view.dispatch(
        setDiagnostics(
          view.state,
          problems.flatMap((each) => diagnostic(view, each)),
        ),
      ),
    focus: () => view.focus(),
    destroy: () => view.destroy(),
  };
}

function diagnostic(
  view: EditorView,
  { line, col, message, severity, code }: Tried['problems'][number],
): Diagnostic[] {
  const { doc } = view.state;
  const at = doc.line(Math.max(1, Math.min(doc.lines, line ?? 1)));
  const from = Math.min(at.to, at.from + Math.max(0, (col ?? 1) - 1));
  return [
    {
      from,
      to: Math.max(from, at.to),
      message: `${message} (${code})`,
      severity: severity === 'error' ? 'error' : 'warning',
    },
  ];
}
