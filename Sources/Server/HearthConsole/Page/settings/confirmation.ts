/** A confirmation before a destructive action. */
export type Confirmation = { title: string; verb: string; explanation: string; textToType?: string; perform: () => Promise<void> };
