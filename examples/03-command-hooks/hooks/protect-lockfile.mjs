#!/usr/bin/env node
// Hook: ProtectLockfile
// Event: PreToolUse
// Description: Keeps agents from editing the lockfile by hand.
// Matcher: tool_name = "write_file"
import { readFileSync } from 'node:fs';

const { tool_input } = JSON.parse(readFileSync(0, 'utf8'));
if (tool_input.path.endsWith('package-lock.json')) {
  console.log(
    JSON.stringify({ decision: 'block', message: 'the lockfile is written by npm: run npm install' }),
  );
  process.exit(2);
}
