/** docs/pages.md: every page by section, from the table that the site takes its navigation from. */
import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { relative } from 'node:path';
import { SECTIONS } from '../site/navigation.mjs';
import { page } from './page.ts';

/** Sections of many pages: one link to where they are listed. */
const LISTED_ELSEWHERE: Readonly<Record<string, string>> = {
  Events: '[All events](reference/events/README.md).',
  Examples: '[Examples](../examples), one idea each.',
};

export function docsIndex(): string {
  const named = new Set(SECTIONS.flatMap(([, names]) => names));
  const sections = SECTIONS.flatMap(([title, names]) => {
    const elsewhere = LISTED_ELSEWHERE[title];
    if (elsewhere !== undefined) return [`## ${title}`, elsewhere];
    const paths = names.flatMap((name) => (name.endsWith('/') ? pagesOf(name, named) : [name]));
    const links = paths.filter((path) => path !== 'docs/pages.md').map(link);
    return [`## ${title}`, links.join('\n')];
  });
  return page('# Documentation', ...sections);
}

function pagesOf(folder: string, named: ReadonlySet<string>): string[] {
  return readdirSync(folder)
    .filter((name) => name.endsWith('.md'))
    .map((name) => `${folder}${name}`)
    .filter((path) => !named.has(path))
    .sort();
}

function link(path: string): string {
  const [, heading] = (existsSync(path) && /^# (.+)$/m.exec(readFileSync(path, 'utf8'))) || [];
  return `- [${path === 'README.md' ? 'README' : (heading ?? path)}](${relative('docs', path)})`;
}
