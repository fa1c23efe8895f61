/** What this browser remembers for its reader: dismissed warnings, saved filters. Storage that is refused is a page without memory. */
import { type Signal, signal } from '@preact/signals';

export interface Stored<T> {
  readonly value: Signal<T>;
  save(value: T): void;
}

export function stored<T>(name: string, absent: T, isSound: (value: unknown) => value is T): Stored<T> {
  const value = signal(absent);
  try {
    const found: unknown = JSON.parse(window.localStorage.getItem(name) ?? 'null');
    if (isSound(found)) value.value = found;
  } catch {
    // Then it begins empty.
  }
  return {
    value,
    save: (next) => {
      value.value = next;
      try {
        window.localStorage.setItem(name, JSON.stringify(next));
      } catch {
        // Then it lasts as long as this tab.
      }
    },
  };
}

export function isTexts(value: unknown): value is readonly string[] {
  return Array.isArray(value) && value.every((each) => typeof each === 'string');
}
