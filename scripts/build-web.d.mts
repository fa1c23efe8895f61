export const WEB_FOLDER: string;
export function buildWeb(): Promise<void>;
