/** The wire formats the server speaks. */
import { anthropicDialect } from './anthropic-dialect.ts';
import type { Dialect } from './dialect.ts';
import { geminiDialect } from './gemini-dialect.ts';
import type { DialectName } from './model-request.ts';
import { openAiChatDialect } from './openai-chat-dialect.ts';
import { openAiResponsesDialect } from './openai-responses-dialect.ts';

export const DIALECTS: Readonly<Record<DialectName, Dialect>> = {
  anthropic: anthropicDialect,
  'openai-chat': openAiChatDialect,
  'openai-responses': openAiResponsesDialect,
  gemini: geminiDialect,
};
