/**
 * Ordinary work in the words of each agent: the tool and the arguments that its hooks are handed when it runs a command, writes a
 * file or reads one. The words are those that the real agents were seen to send, not those of the adapters' tables, so that a table
 * that is wrong is found out.
 */
import type { JsonObject } from '../base/index.ts';

export interface NativeToolCall {
  readonly name: string;
  readonly input: JsonObject;
}

/** A file of the project in both forms that agents send. */
export interface ProjectFile {
  readonly absolute: string;
  readonly relative: string;
}

export interface OrdinaryTools {
  run(command: string): NativeToolCall;
  write(file: ProjectFile, content: string): NativeToolCall;
  read(file: ProjectFile): NativeToolCall;
}

/** What a canary says in every text field. */
export const CANARY_TEXT = 'harness-canary';

export const nativeCall = (name: string, input: JsonObject): NativeToolCall => ({ name, input });
