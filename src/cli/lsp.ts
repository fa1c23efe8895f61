/**
 * `harness lsp`: the language server on stdin and stdout. What it takes to speak the protocol is loaded by this command alone.
 */
import { createConnection, ProposedFeatures } from 'vscode-languageserver/node';
import { serve } from '../lsp/index.ts';
import { type Run, UsageError } from '../terminal/index.ts';

export const run: Run = async (args) => {
  if (args.positionals.length > 0)
    throw new UsageError('lsp takes no arguments: an editor starts it and speaks first');
  serve(createConnection(ProposedFeatures.all, process.stdin, process.stdout));
  // The editor says when it is over, or goes away.
  return new Promise((done) => {
    process.stdin.on('close', () => done(0));
    process.stdin.on('end', () => done(0));
  });
};
