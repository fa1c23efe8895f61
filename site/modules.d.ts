/** What the bundler makes of files, and the one package of the site that is not there before `npm run site` has installed it. */
declare module '*.css';
declare module '*.md' {
  const text: string;
  export default text;
}
declare module 'worker-text' {
  const text: string;
  export default text;
}
declare module 'minisearch' {
  interface SearchOptions {
    readonly prefix: boolean;
    readonly fuzzy: (word: string) => number | false;
    readonly boost: Readonly<Record<string, number>>;
    readonly boostDocument: (id: number, term: string, stored?: Readonly<Record<string, unknown>>) => number;
  }
  export default class MiniSearch<T> {
    static loadJSON<T>(text: string, options: object): MiniSearch<T>;
    search(words: string, options: SearchOptions): T[];
  }
}
