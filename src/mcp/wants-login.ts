/** Whether a server behind HTTP answers a client without a token, asked with the first message of the protocol. */
import { exchangeBytes, judgeSecureUrl } from '../machine/index.ts';

const TIMEOUT_MS = 5000;
const MAX_BYTES = 64 * 1024;

const HELLO = JSON.stringify({
  jsonrpc: '2.0',
  id: 1,
  method: 'initialize',
  params: { protocolVersion: '2025-11-25', capabilities: {}, clientInfo: { name: 'harness', version: '1' } },
});

/** False also of a server that cannot be reached now: a call says so then. */
export async function wantsLogin(address: string): Promise<boolean> {
  const judged = judgeSecureUrl(address, 'https://mcp.example.com/mcp');
  if (!judged.ok) return false;
  const headers = { 'content-type': 'application/json', accept: 'application/json, text/event-stream' };
  const asked = {
    method: 'POST' as const,
    url: judged.url.href,
    headers,
    body: HELLO,
    timeoutMs: TIMEOUT_MS,
    maxBytes: MAX_BYTES,
  };
  try {
    const { status } = await exchangeBytes(asked, new AbortController().signal);
    return status === 401;
  } catch {
    return false;
  }
}
