import Foundation
import HearthTree

/// Stored pages in memory, which count and fail reads as tests want.
///
/// The lock is one that the thread sanitizer knows.
package final class MemoryPages: PageSource, @unchecked Sendable {
  /// The address of the first record.
  package static let start = 4096
  private let lock = NSLock()
  private var bytes: [UInt8] = []
  private var reads = 0
  private var readsUntilFailure = Int.max
  private var failuresLeft = Int.max
  private var seed: UInt64 = 0x5EED

  /// The number of reads.
  package var readCount: Int { lock.withLock { reads } }

  /// The bytes of all records.
  package var content: [UInt8] {
    get { lock.withLock { bytes } }
    set { lock.withLock { bytes = newValue } }
  }

  /// Creates a store without records.
  package init() {}

  /// Makes a number of reads fail after `count` others.
  package func fail(after count: Int, times: Int = .max) {
    lock.withLock { (readsUntilFailure, failuresLeft) = (count, times) }
  }

  /// Returns the seed of the checksum of the record at an address.
  package func seed(at address: Int) -> UInt64 { seed ^ UInt64(address) }

  package func read(at location: PageLocation, _ body: (UnsafeRawBufferPointer, UInt64) -> Void) throws(PageError) {
    let record = lock.withLock { () -> [UInt8]? in
      reads += 1
      if readsUntilFailure > 0 {
        readsUntilFailure -= readsUntilFailure == .max ? 0 : 1
      } else if failuresLeft > 0 {
        failuresLeft -= failuresLeft == .max ? 0 : 1
        return nil
      }
      let start = location.address - Self.start
      guard start >= 0, start + location.sizeBytes <= bytes.count else { return nil }
      return Array(bytes[start..<start + location.sizeBytes])
    }
    guard let record else { throw PageError("the disk failed", at: location) }
    record.withUnsafeBytes { body($0, seed(at: location.address)) }
  }

  fileprivate func append(
    sizeBytes: Int, store: UInt16, _ fill: (UnsafeMutableRawBufferPointer, UInt64) -> Void
  ) -> PageLocation? {
    lock.withLock {
      let start = bytes.count
      bytes += [UInt8](repeating: 0xEE, count: sizeBytes)
      let address = Self.start + start
      bytes.withUnsafeMutableBytes {
        fill(UnsafeMutableRawBufferPointer(rebasing: $0[start..<start + sizeBytes]), seed(at: address))
      }
      return PageLocation(store: store, address: address, sizeBytes: sizeBytes)
    }
  }
}

/// The end of ``MemoryPages``.
package struct MemorySink: PageSink {
  private let pages: MemoryPages
  package let store: PageStore

  /// Creates the end of a store.
  package init(pages: MemoryPages, store: PageStore) { (self.pages, self.store) = (pages, store) }

  package mutating func append(
    sizeBytes: Int, _ fill: (UnsafeMutableRawBufferPointer, UInt64) -> Void
  ) throws(PageError) -> PageLocation {
    guard let location = pages.append(sizeBytes: sizeBytes, store: store.number, fill) else {
      throw PageError("the store is full")
    }
    return location
  }

  package mutating func sync() throws(PageError) {}

  package mutating func discard() {}
}

/// A store in memory and its writer.
package struct MemoryStore {
  /// The records.
  package let pages = MemoryPages()
  /// The store.
  package let store: PageStore
  /// The writer.
  package var writer: StoredNodeWriter<MemorySink>

  /// Creates an empty store.
  package init() {
    guard let store = PageStore.register(pages) else { preconditionFailure("no number is left for the store") }
    self.store = store
    writer = StoredNodeWriter(MemorySink(pages: pages, store: store))
  }

  /// Stores a node, and returns its location.
  package mutating func save(_ node: Node) throws -> StoredNode {
    let stored = try writer.write(node)
    try writer.commit()
    return stored
  }

  /// Stores a node, and returns it with nothing in memory.
  package mutating func cold(_ node: Node) throws -> Node { try save(node).open() }
}
