/** A question before an act that destroys something. */
export type Asked = { title: string; verb: string; told: string; typed?: string; act: () => Promise<void> };
