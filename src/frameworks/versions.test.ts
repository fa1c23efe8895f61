import { readFileSync } from 'node:fs';
import { expect, it } from 'vitest';

const { dependencies } = JSON.parse(readFileSync('test/frameworks/package.json', 'utf8')) as {
  dependencies: Record<string, string>;
};

const PAGES: Readonly<Record<string, readonly string[]>> = {
  'docs/frameworks.md': [
    'ai',
    '@openai/agents',
    'langchain',
    '@mastra/core',
    '@anthropic-ai/claude-agent-sdk',
  ],
  'docs/mcp.md': ['@modelcontextprotocol/conformance', '@modelcontextprotocol/inspector'],
  'docs/guide/tracing.md': ['@opentelemetry/api', '@opentelemetry/sdk-node'],
};

it.each(Object.keys(PAGES))('%s names the versions that the framework tests run with', (page) => {
  const text = readFileSync(page, 'utf8').replaceAll('`', '').replaceAll('\n', ' ');
  for (const name of PAGES[page]!) {
    const named = [...text.matchAll(new RegExp(`(?<![\\w@/-])${name} (\\d[\\w.-]*\\w)`, 'g'))];
    expect(new Set(named.map(([, version]) => version)), name).toEqual(new Set([dependencies[name]]));
  }
});
