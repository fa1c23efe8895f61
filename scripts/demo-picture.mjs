// Writes docs/demo.svg: parts of a real run of `harness demo`, drawn as a terminal whose lines appear one after the other.
// `npm run docs:demo`. The test of the demo compares the picture's text with a run.
import { spawnSync } from 'node:child_process';
import { writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { fileURLToPath, pathToFileURL } from 'node:url';
import { CLI_FILE } from './build-cli.mjs';

/** A part begins at the line that has the text and ends at the next empty line. */
const PARTS = ['Get release 1.4 ready', 'I will clear the disk', 'I see, I will do the work', 'stop  '];
const LINE = 20;
const CHARACTER = 8.43;
const MARGIN = 20;
const TOP = 52;
const SECONDS_A_LINE = 0.45;
const COLOURS = { 31: '#ff7b72', 32: '#7ee787', 33: '#e3b341', 36: '#79c0ff', 2: '#8b949e' };

export function pictureOf(coloured) {
  const lines = ['\u001b[1m$ npx harness demo\u001b[22m', ...excerpt(coloured.split('\n'))];
  const width = Math.ceil(Math.max(...lines.map((line) => plain(line).length)) * CHARACTER) + 2 * MARGIN;
  const height = TOP + lines.length * LINE + MARGIN / 2;
  const rows = lines.map((line, at) => {
    const y = TOP + at * LINE;
    return `<text x="${MARGIN}" y="${y}" style="animation-delay:${(at * SECONDS_A_LINE).toFixed(2)}s">${spans(line)}</text>`;
  });
  return `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 ${width} ${height}" width="${width}" height="${height}" role="img" aria-label="A run of harness demo in a terminal">
<style>text{font:14px ui-monospace,SFMono-Regular,Menlo,Consolas,monospace;fill:#e6edf3;white-space:pre;animation:show .1s both}@keyframes show{from{opacity:0}}@media(prefers-reduced-motion){text{animation:none}}</style>
<rect width="${width}" height="${height}" rx="8" fill="#0d1117"/>
<circle cx="22" cy="18" r="6" fill="#ff5f57"/><circle cx="42" cy="18" r="6" fill="#febc2e"/><circle cx="62" cy="18" r="6" fill="#28c840"/>
${rows.join('\n')}
</svg>
`;
}

function excerpt(lines) {
  return PARTS.flatMap((text) => {
    const start = lines.findIndex((line) => plain(line).includes(text));
    const end = lines.findIndex((line, at) => at > start && line === '');
    if (start < 0 || end < 0) throw new Error(`the demo prints no "${text}"`);
    return [...lines.slice(start, end), ''];
  }).slice(0, -1);
}

function plain(line) {
  return line.replace(/\u001b\[\d+m/g, '');
}

/** A colour or a weight lasts until it is taken back. */
function spans(line) {
  let style = '';
  return line.split(/(\u001b\[\d+m)/).reduce((drawn, piece) => {
    const [, code] = /\[(\d+)m/.exec(piece) ?? [];
    if (code === undefined || !piece.startsWith('\u001b')) {
      const text = piece.replaceAll('&', '&amp;').replaceAll('<', '&lt;').replaceAll('>', '&gt;');
      if (text === '') return drawn;
      return drawn + (style === '' ? text : `<tspan ${style}>${text}</tspan>`);
    }
    if (code === '1') style = 'font-weight="bold"';
    else style = code in COLOURS ? `fill="${COLOURS[code]}"` : '';
    return drawn;
  }, '');
}

if (import.meta.url === pathToFileURL(process.argv[1]).href) {
  const env = { ...process.env, FORCE_COLOR: '1' };
  const { stdout } = spawnSync(process.execPath, [CLI_FILE, 'demo'], { env, encoding: 'utf8' });
  writeFileSync(join(dirname(fileURLToPath(import.meta.url)), '../docs/demo.svg'), pictureOf(stdout));
}
