import HearthEngine
import HearthTree

/// The eviction of pages from a database's state, as far as its ``PageCache`` is exceeded. It belongs to the queue that
/// decides commands.
///
/// Pages are freed when no version has them. Evicted bytes that are not freed yet count as freed: otherwise a reader
/// that keeps a version would cause all pages to be evicted from the next ones.
struct PageEviction {
  /// The bytes that one run evicts at least: it takes half a millisecond.
  private static let runBytesMin = 256 << 10
  /// The bytes that one run evicts at most, after many pages were read or stored.
  private static let runBytesMax = 4 << 20
  /// The turns of the clock in a run, each of which passes a number of pages at most.
  private static let turnsMax = 16
  /// The part of the cache that earlier versions may take before the engine releases those that it keeps.
  private static let releaseShare = 16

  private let store: PageStore
  private let cache: PageCache
  private var evictor: StateEvictor
  /// See ``releaseShare``.
  private let releaseBytes: Int
  /// The bytes that were evicted since the engine last released versions.
  private var unreleasedBytes = 0
  /// The bytes of the newest version's pages in memory after the last run.
  private var lastBytes: Int
  /// The rounds over all pages since something was evicted. The first one forgets which pages were read.
  private var idleRoundCount = 0
  /// The least bytes of the newest version's pages in memory since a run looked for pages to evict.
  private var idleBytes = 0

  init(of store: PageStore, in cache: PageCache) {
    (self.store, self.cache) = (store, cache)
    evictor = StateEvictor(of: store)
    releaseBytes = max(Self.runBytesMin, cache.sizeBytes / Self.releaseShare)
    lastBytes = store.newestBytes
  }

  /// Records that pages were stored, which may be evicted from now on.
  mutating func noteStored() { idleRoundCount = 0 }

  /// Evicts pages if there are too many: a quarter of these, and at least twice as many as have come into memory since
  /// the last run. After a checkpoint of large writes, there are more at once than later runs hear of.
  ///
  /// - Parameters:
  ///   - evict: Evicts about a number of bytes by the clock.
  ///   - release: Releases earlier versions, which keep evicted pages in memory.
  /// - Returns: True when the state has changed, or another run may change it.
  mutating func run(
    _ evict: (_ clock: inout StateEvictor, _ sizeBytes: Int) -> Void, release: () -> Void
  ) -> Bool {
    let excess = cache.excessBytes(of: store) - store.evictedBytes
    let newBytes = store.newestBytes - lastBytes
    defer { lastBytes = store.newestBytes }
    // What remains after two rounds is in older versions or not stored, until there is more again.
    idleBytes = min(idleBytes, store.newestBytes)
    if store.newestBytes > idleBytes + Self.runBytesMin || excess <= 0 { idleRoundCount = 0 }
    guard excess > 0, idleRoundCount < 2 else { return false }
    defer { idleBytes = store.newestBytes }
    var rest = min(excess, max(Self.runBytesMin, min(Self.runBytesMax, max(2 * newBytes, excess / 4))))
    var turns = 0
    while rest > 0, idleRoundCount < 2, turns < Self.turnsMax {
      evict(&evictor, rest)
      turns += 1
      rest -= evictor.evictedBytes
      unreleasedBytes += evictor.evictedBytes
      if evictor.evictedBytes > 0 { idleRoundCount = 0 } else if evictor.isAtStart { idleRoundCount += 1 }
    }
    if min(store.evictedBytes, unreleasedBytes) >= releaseBytes {
      release()
      unreleasedBytes = 0
    }
    return true
  }
}
