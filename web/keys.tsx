/** The keyboard: one table of keys for all pages, and the box that lists them. */
import { signal } from '@preact/signals';
import { useEffect, useRef } from 'preact/hooks';
import { go } from './address.ts';

export const helpOpen = signal(false);

const KEYS: readonly (readonly [keys: string, about: string])[] = [
  ['j, k', 'next, previous line'],
  ['enter', 'open the line'],
  ['esc', 'close what is open'],
  ['/', 'search'],
  ['g then h, r, l, p, y, b, a', 'home, runs, live, policy, playground, backtest, approvals'],
  ['?', 'this list'],
];

const PAGE_NAMES: Readonly<Record<string, string>> = {
  h: '/',
  r: '/runs',
  l: '/live',
  p: '/policy',
  y: '/playground',
  b: '/backtest',
  a: '/approvals',
};

let leader = 0;

/** What esc does on the page that is open; set by it. */
export const onEscape = signal<(() => void) | null>(null);

document.addEventListener('keydown', (event) => {
  const target = event.target as HTMLElement | null;
  const typing =
    target !== null &&
    (target.isContentEditable ||
      /^(INPUT|TEXTAREA|SELECT)$/.test(target.tagName) ||
      target.closest?.('.editor') != null);
  if (event.key === 'Escape') {
    if (helpOpen.value) helpOpen.value = false;
    else if (typing) target.blur();
    else onEscape.value?.();
    return;
  }
  if (typing || event.ctrlKey || event.metaKey || event.altKey) return;
  if (performance.now() - leader < 1200 && PAGE_NAMES[event.key] !== undefined) {
    leader = 0;
    go(PAGE_NAMES[event.key]!);
    event.preventDefault();
    return;
  }
  if (event.key === 'g') leader = performance.now();
  else if (event.key === 'j' || event.key === 'k')
    window.dispatchEvent(new CustomEvent('harness-move', { detail: { by: event.key === 'j' ? 1 : -1 } }));
  else if (event.key === '/') document.querySelector<HTMLInputElement>('input[type=search]')?.focus();
  else if (event.key === '?') helpOpen.value = true;
  else return;
  event.preventDefault();
});

export function Help() {
  const dialog = useRef<HTMLDialogElement>(null);
  const open = helpOpen.value;
  useEffect(() => {
    if (open) dialog.current?.showModal();
    else dialog.current?.close();
  }, [open]);
  return (
    <dialog ref={dialog} aria-label="Keys" onClose={() => (helpOpen.value = false)}>
      <h2>Keys</h2>
      <dl>
        {KEYS.map(([keys, about]) => (
          <>
            <dt>
              <kbd>{keys}</kbd>
            </dt>
            <dd>{about}</dd>
          </>
        ))}
      </dl>
      <button type="button" onClick={() => (helpOpen.value = false)}>
        Close
      </button>
    </dialog>
  );
}
