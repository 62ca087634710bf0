/** Returns a short form of a user agent: `Android SDK 21.0.0`, `Chrome 156`. Unknown agents stay as they are. */
export function agentName(agent: string): string {
  const device = /^Firebase\/5\/([^/]+)\/[^/]*\/(.+)$/.exec(agent);
  if (device) {
    const platform = /android/i.test(device[2]!) ? "Android" : /ios|iphone|ipad|darwin|mac/i.test(device[2]!) ? "Apple" : "Java";
    return `${platform} SDK ${device[1]}`;
  }
  for (const [pattern, name] of BROWSERS) {
    const found = pattern.exec(agent);
    if (found) return `${name} ${found[1]}`;
  }
  return agent;
}

// The order matters: Edge's user agent also contains Chrome's name.
const BROWSERS: readonly (readonly [RegExp, string])[] = [
  [/Edg\/(\d+)/, "Edge"], [/Firefox\/(\d+)/, "Firefox"], [/Chrom(?:e|ium)\/(\d+)/, "Chrome"], [/HeadlessChrome\/(\d+)/, "Chrome"],
  [/Version\/(\d+)[.\d]* (?:Mobile\/\S+ )?Safari\//, "Safari"],
];
