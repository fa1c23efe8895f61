/**
 * A button beside each piece of code that copies it. Of a session in a terminal it copies what was typed, without the prompt and
 * without what was printed.
 */
const SHOWN_MS = 1500;

for (const code of document.querySelectorAll<HTMLElement>('article pre code')) {
  const button = document.createElement('button');
  button.type = 'button';
  button.className = 'copy';
  button.textContent = 'Copy';
  button.addEventListener('click', () => void copy(code, button));
  const holder = document.createElement('div');
  holder.className = 'code';
  const block = code.parentElement!;
  block.replaceWith(holder);
  holder.append(block, button);
}

async function copy(code: HTMLElement, button: HTMLButtonElement): Promise<void> {
  const lines = code.textContent!.trimEnd().split('\n');
  const typed = lines.filter((line) => line.startsWith('$ '));
  const text = typed.length === 0 ? lines.join('\n') : typed.map((line) => line.slice(2)).join('\n');
  try {
    await navigator.clipboard.writeText(text);
    button.textContent = 'Copied';
  } catch {
    // A page that was opened as a file may not write: what is selected is one key away.
    getSelection()?.selectAllChildren(code);
    button.textContent = 'Selected';
  }
  setTimeout(() => {
    button.textContent = 'Copy';
  }, SHOWN_MS);
}
