#!/usr/bin/env node
// A plain command hook that keeps what it was given and answers from a file: what an agent does with hooks, without any
// policy in between.   node recording-hook.mjs FOLDER REPLIES EVENT
// REPLIES is {"EVENT": {"stdout": text or object, "stderr": text, "exit": number, "once": true}}.
import { existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';

const [folder, repliesFile, event] = process.argv.slice(2);
let text = '';
process.stdin.setEncoding('utf8');
for await (const chunk of process.stdin) text += chunk;

mkdirSync(folder, { recursive: true });
// Hooks of two calls run at the same time: the name must be of this process alone.
const name = `${String(process.hrtime.bigint()).padStart(20, '0')}-${process.pid}.json`;
writeFileSync(join(folder, name), JSON.stringify({ event, input: text }));

const reply = JSON.parse(readFileSync(repliesFile, 'utf8'))[event];
if (reply !== undefined && isFirst(reply)) {
  if (reply.stderr !== undefined) process.stderr.write(reply.stderr);
  if (reply.stdout !== undefined) {
    process.stdout.write(typeof reply.stdout === 'string' ? reply.stdout : JSON.stringify(reply.stdout));
  }
  process.exitCode = reply.exit ?? 0;
}

function isFirst({ once }) {
  const mark = join(folder, `answered-${event}`);
  if (!once) return true;
  if (existsSync(mark)) return false;
  writeFileSync(mark, '');
  return true;
}
