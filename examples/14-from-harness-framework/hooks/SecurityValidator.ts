#!/usr/bin/env bun
// Hook: SecurityValidator
// Event: PreToolUse
// Description: Validates tool operations against security policies
// Matcher: tool_name = "Bash"

import { readFileSync } from "fs";

// 1. Read payload from stdin
const payload = JSON.parse(readFileSync("/dev/stdin", "utf-8"));

// 2. Extract relevant fields
const { tool_name, tool_input } = payload;

// 3. Implement hook logic
if (tool_name === "Bash" && tool_input.command.includes("rm -rf /")) {
  // Hard block: write decision and exit 2
  console.log(JSON.stringify({
    decision: "block",
    message: "Blocked: recursive deletion of root filesystem"
  }));
  process.exit(2);
}

// 4. Normal completion
process.exit(0);
