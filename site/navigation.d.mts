export const SECTIONS: readonly (readonly [title: string, names: readonly string[]])[];
export function placed(pages: readonly string[]): [title: string, pages: string[]][];
