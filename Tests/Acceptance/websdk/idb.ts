// The app package uses this only for heartbeats, and works without them.
export function openDB(): Promise<never> {
  return Promise.reject(new Error('there is no idb here'));
}
