import HearthEngine
import HearthTree

/// The eviction of pages from a database's state, as far as its ``PageCache`` is exceeded. It belongs to the queue that
/// decides commands.
///
/// Pages are freed when no version has them. Evicted bytes that are not freed yet count as freed: otherwise a reader that
/// keeps a version would cause all pages to be evicted from the next ones.
struct PageEviction {
  /// The bytes that one run evicts: it takes half a millisecond.
  private static let runBytesMax = 256 << 10
  /// The part of the cache that earlier versions may take before the engine releases those that it keeps.
  private static let releaseShare = 16

  private let store: PageStore
  private let cache: PageCache
  private var evictor: StateEvictor
  /// The bytes that were evicted and are not freed.
  private var pendingBytes = 0
  /// See ``releaseShare``.
  private let releaseBytes: Int
  /// The bytes that were evicted since the engine last released versions.
  private var unreleasedBytes = 0
  /// The store's freed bytes at the last run.
  private var freedBytes = 0
  /// The rounds over all pages since something was evicted. The first one forgets which pages were read.
  private var idleRoundCount = 0
  /// The excess at the last run.
  private var lastExcess = 0

  init(of store: PageStore, in cache: PageCache) {
    (self.store, self.cache) = (store, cache)
    evictor = StateEvictor(of: store)
    releaseBytes = max(Self.runBytesMax, cache.sizeBytes / Self.releaseShare)
  }

  /// Evicts pages if there are too many.
  ///
  /// - Returns: True when the state has changed, or another run may change it.
  mutating func run(_ engine: inout Engine) -> Bool {
    let freed = store.freedBytes
    pendingBytes = max(0, pendingBytes - (freed - freedBytes))
    freedBytes = freed
    let excess = cache.excessBytes(of: store) - pendingBytes
    // What remains after two rounds is in older versions, until there is more again.
    if excess > lastExcess + Self.runBytesMax || excess <= 0 { idleRoundCount = 0 }
    guard excess > 0, idleRoundCount < 2 else { return false }
    lastExcess = excess
    engine.evict(by: &evictor, sizeBytes: min(excess, Self.runBytesMax))
    pendingBytes += evictor.evictedBytes
    unreleasedBytes += evictor.evictedBytes
    if min(pendingBytes, unreleasedBytes) >= releaseBytes {
      engine.releaseVersions()
      unreleasedBytes = 0
    }
    if evictor.evictedBytes > 0 { idleRoundCount = 0 } else if evictor.isAtStart { idleRoundCount += 1 }
    return true
  }
}
