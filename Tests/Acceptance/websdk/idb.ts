// The app package keeps its heartbeats with it, and lives without them.
export function openDB(): Promise<never> {
  return Promise.reject(new Error('there is no idb here'));
}
