// How long the first compile in a process takes, in milliseconds of wall time.
import { readFileSync } from 'node:fs';
import { compile, SourceFile } from '../../dist/starlark/index.js';

const source = new SourceFile('policy.star', readFileSync(process.argv[2], 'utf8'));
const start = performance.now();
compile(source);
console.log(performance.now() - start);
