/** A confirmation before a destructive action. */
export type Asked = { title: string; verb: string; told: string; typed?: string; act: () => Promise<void> };
