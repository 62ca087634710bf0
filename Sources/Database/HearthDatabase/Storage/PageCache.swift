import HearthSystem
import HearthTree
import Synchronization

/// The memory for the pages of databases whose data need not be in memory, shared by all databases of a process.
///
/// No server has one yet: without it, only databases that have a checkpoint already have pages.
public final class PageCache: Sendable {
  /// The bytes of pages that stay in memory. Pages that are not stored yet count after their checkpoint.
  public let sizeBytes: Int

  private let stores = Mutex<[UInt16: PageStore]>([:])

  /// Creates a cache.
  public init(sizeBytes: Int) { self.sizeBytes = sizeBytes }

  /// The cache of databases without one of their own: half of the machine's memory, or 256 MiB if that is more.
  static let standard = PageCache(sizeBytes: max(256 << 20, Machine.current.memoryBytes / 2))

  func insert(_ store: PageStore) { stores.withLock { $0[store.number] = store } }

  func remove(_ store: PageStore) { stores.withLock { _ = $0.removeValue(forKey: store.number) } }

  /// The bytes of stored pages that are in memory.
  public var residentBytes: Int { stores.withLock { Self.residentBytes($0) } }

  private static func residentBytes(_ stores: [UInt16: PageStore]) -> Int {
    stores.values.reduce(0) { $0 + $1.residentBytes }
  }

  /// Returns the bytes that a database has too many in memory: it has more than its share, and all together have more
  /// than ``sizeBytes``.
  func excessBytes(of store: PageStore) -> Int {
    stores.withLock { stores in
      max(0, min(Self.residentBytes(stores) - sizeBytes, store.residentBytes - sizeBytes / max(1, stores.count)))
    }
  }
}
