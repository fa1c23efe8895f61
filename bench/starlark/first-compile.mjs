// How long the first compile in a process takes, and how long until its program has run: milliseconds of wall time. The
// translation to JavaScript waits for the first run.
import { readFileSync } from 'node:fs';
import { compile, SourceFile, Thread } from '../../dist/starlark/index.js';

const text = readFileSync(process.argv[2], 'utf8').replace(/^print\(main\(\)\)$/m, '');
const source = new SourceFile('policy.star', text);
const start = performance.now();
const compiled = compile(source);
const checked = performance.now();
compiled.program.run(new Thread());
console.log(JSON.stringify({ compiled: checked - start, ran: performance.now() - start }));
