import Dispatch
import HearthSystem
import HearthTree
import Synchronization

#if canImport(Glibc)
  import Glibc
#elseif canImport(Musl)
  import Musl
#else
  import Darwin
#endif

/// The memory for the pages of databases whose data need not be in memory, shared by all databases of a process.
///
/// Stored pages are evicted beyond the size, first those of databases that have more than their share: one that reads
/// pages has as much as each other one that does, and more as long as these need less. A database that has read none
/// while the others read as much as the cache holds has no share. Pages that are not stored yet count; from a quarter
/// of the size on a checkpoint stores them, and from half of it on commands wait for the checkpoint.
public final class PageCache: Sendable {
  /// The bytes of pages that stay in memory.
  public let sizeBytes: Int

  /// A database in the cache.
  private struct Entry {
    let store: PageStore
    /// Evicts or stores pages, when the database has too many in memory. Called on ``queue``.
    let relieve: @Sendable () -> Void
    /// See ``SnapshotSchedule/dirtyBytes``.
    var dirtyBytes = 0
    /// The number of pages that it had read at the last look.
    var loadCount: Int
    /// The number of pages that all databases had read when it read its last one.
    var lastUse: Int

    var bytes: Int { store.residentBytes + dirtyBytes }
  }

  private struct State {
    var entries: [UInt16: Entry] = [:]
    /// The number of pages that all databases have read.
    var loadCount = 0

    var bytes: Int { entries.values.reduce(0) { $0 + $1.bytes } }

    var dirtyBytes: Int { entries.values.reduce(0) { $0 + $1.dirtyBytes } }

    /// Records which databases have read pages since the last look.
    mutating func noteUse() {
      let used = entries.filter { $1.store.loadCount > $1.loadCount }.keys
      for number in used {
        guard let entry = entries[number] else { continue }
        let count = entry.store.loadCount
        loadCount += max(0, count - entry.loadCount)
        entries[number]?.loadCount = count
      }
      // All at the same time, whatever their order.
      for number in used { entries[number]?.lastUse = loadCount }
    }
  }

  /// The bytes that are read between two looks for databases with too many pages.
  private static let reviewBytes = 256 << 10
  /// The bytes above the size from which on readers wait for evictions.
  private static let excessBytesMax = 16 << 20
  /// The size of most pages.
  private static let pageBytes = 2 << 10
  /// The bytes of pages that need no checkpoint of their own, however small the cache is.
  private let dirtyBytesMin: Int

  private let state = Mutex(State())
  private let queue = DispatchQueue(label: "hearth.pages")
  /// The bytes that were read since the last review.
  private let unreviewedBytes = Atomic(0)

  /// Creates a cache.
  public convenience init(sizeBytes: Int) { self.init(sizeBytes: sizeBytes, dirtyBytesMin: 8 << 20) }

  init(sizeBytes: Int, dirtyBytesMin: Int) {
    (self.sizeBytes, self.dirtyBytesMin) = (max(0, sizeBytes), dirtyBytesMin)
  }

  /// The cache of databases without one of their own: half of the machine's memory, or 256 MiB if that is more.
  static let standard = PageCache(sizeBytes: max(256 << 20, Machine.current.memoryBytes / 2))

  /// Adds a database.
  ///
  /// - Parameter relieve: Evicts or stores pages of the database, when it has too many in memory. Called on a queue of
  ///   the cache; it must not block.
  func insert(_ store: PageStore, _ relieve: @escaping @Sendable () -> Void) {
    state.withLock { state in
      state.entries[store.number] = Entry(
        store: store, relieve: relieve, loadCount: store.loadCount, lastUse: state.loadCount)
    }
  }

  func remove(_ store: PageStore) { state.withLock { _ = $0.entries.removeValue(forKey: store.number) } }

  /// The bytes of stored pages that are in memory.
  public var residentBytes: Int { state.withLock { $0.entries.values.reduce(0) { $0 + $1.store.residentBytes } } }

  /// The approximate bytes of pages in memory that the next checkpoints store.
  public var dirtyBytes: Int { state.withLock { $0.dirtyBytes } }

  // MARK: Shares

  /// Returns the bytes of stored pages that a database has too many in memory: it has more than its share, and all
  /// together have more than ``sizeBytes``.
  func excessBytes(of store: PageStore) -> Int { state.withLock { excessBytes(of: store.number, in: &$0) } }

  private func excessBytes(of number: UInt16, in state: inout State) -> Int {
    let total = state.bytes
    guard total > sizeBytes, let bytes = state.entries[number]?.bytes else { return 0 }
    state.noteUse()
    let turnover = sizeBytes / Self.pageBytes
    func isUsed(_ entry: Entry) -> Bool { entry.dirtyBytes > 0 || state.loadCount - entry.lastUse <= turnover }
    var share = 0
    if state.entries[number].map(isUsed) == true {
      share = sizeBytes / max(1, state.entries.values.reduce(0) { $0 + (isUsed($1) ? 1 : 0) })
    }
    return max(0, min(total - sizeBytes, bytes - share))
  }

  // MARK: Pages that are not stored

  /// Sets the bytes of a database's pages that are not stored.
  func setDirtyBytes(_ bytes: Int, of store: PageStore) {
    let isReviewDue = state.withLock { state in
      state.entries[store.number]?.dirtyBytes = bytes
      return state.entries.count > 1 && state.dirtyBytes > dirtyBytesMax(4)
    }
    // Another database may have most of them.
    if isReviewDue { queue.async { self.review() } }
  }

  /// Returns true when a database is to store its pages now: it has a large part of those that are not stored.
  func needsCheckpoint(of store: PageStore) -> Bool { state.withLock { hasDirty(4, store.number, in: $0) } }

  /// Returns true when a database is to change no more pages until a checkpoint is complete.
  func isFull(of store: PageStore) -> Bool { state.withLock { hasDirty(2, store.number, in: $0) } }

  /// Returns a part of the size, for pages that are not stored.
  private func dirtyBytesMax(_ divisor: Int) -> Int { max(dirtyBytesMin * 4, sizeBytes) / divisor }

  /// Returns true when more pages than a part of the size are not stored, and a database has its part of them. At least
  /// one database has.
  private func hasDirty(_ divisor: Int, _ number: UInt16, in state: State) -> Bool {
    let (total, bytes) = (state.dirtyBytes, state.entries[number]?.dirtyBytes ?? 0)
    return total > dirtyBytesMax(divisor) && bytes >= total / max(1, state.entries.count)
  }

  // MARK: Reviews

  /// Records that a page was read, by any thread.
  func noteRead(_ readBytes: Int) {
    let bytes = unreviewedBytes.add(readBytes, ordering: .relaxed).newValue
    guard bytes >= Self.reviewBytes,
      unreviewedBytes.compareExchange(expected: bytes, desired: 0, ordering: .relaxed).exchanged
    else { return }
    queue.async { self.review() }
    // Readers are faster than the eviction when the processors are busy.
    if isFarExceeded { usleep(1_000) }
  }

  /// True when readers are to wait for evictions.
  var isFarExceeded: Bool {
    state.withLock { $0.bytes > sizeBytes + max(sizeBytes / 8, Self.excessBytesMax) }
  }

  /// Lets the databases with too many pages in memory evict or store some.
  private func review() {
    let all = state.withLock { state in
      state.entries.keys.filter { number in
        excessBytes(of: number, in: &state) > 0 || hasDirty(4, number, in: state)
      }.compactMap { state.entries[$0]?.relieve }
    }
    for relieve in all { relieve() }
  }
}
