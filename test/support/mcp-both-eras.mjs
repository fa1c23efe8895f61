// An MCP server of both eras on stdin and stdout.
import { serveStdio } from '@modelcontextprotocol/server/stdio';
import { makeServer } from './mcp-offers.mjs';

serveStdio(({ era }) => makeServer(era));
