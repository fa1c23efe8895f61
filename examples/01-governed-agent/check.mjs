// Checks that the release notes mention every change.
import { readFileSync } from 'node:fs';

const count = (file) => readFileSync(file, 'utf8').match(/^- /gm)?.length ?? 0;
const [changes, told] = [count('notes/changes.md'), count('RELEASE.md')];
console.log(`${told} of ${changes} changes are in RELEASE.md`);
process.exitCode = told === changes ? 0 : 1;
