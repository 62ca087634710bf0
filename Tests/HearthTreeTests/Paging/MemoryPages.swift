import Foundation
import HearthTree
import RandomTestKit

/// Stored pages in memory, which count and fail reads as tests want.
///
/// The lock is one that the thread sanitizer knows.
final class MemoryPages: PageSource, @unchecked Sendable {
  /// The address of the first record.
  static let start = 4096
  private let lock = NSLock()
  private var bytes: [UInt8] = []
  private var reads = 0
  private var readsUntilFailure = Int.max
  private var seed: UInt64 = 0x5EED

  /// The number of reads.
  var readCount: Int { lock.withLock { reads } }

  /// The bytes of all records.
  var content: [UInt8] {
    get { lock.withLock { bytes } }
    set { lock.withLock { bytes = newValue } }
  }

  /// Makes the read after `count` others fail, and all after it.
  func fail(after count: Int) { lock.withLock { readsUntilFailure = count } }

  /// Returns the seed of the checksum of the record at an address.
  func seed(at address: Int) -> UInt64 { seed ^ UInt64(address) }

  func read(at location: PageLocation, _ body: (UnsafeRawBufferPointer, UInt64) -> Void) throws(PageError) {
    let record = lock.withLock { () -> [UInt8]? in
      reads += 1
      guard readsUntilFailure > 0 else { return nil }
      readsUntilFailure -= readsUntilFailure == .max ? 0 : 1
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
struct MemorySink: PageSink {
  let pages: MemoryPages
  let store: PageStore

  mutating func append(
    sizeBytes: Int, _ fill: (UnsafeMutableRawBufferPointer, UInt64) -> Void
  ) throws(PageError) -> PageLocation {
    guard let location = pages.append(sizeBytes: sizeBytes, store: store.number, fill) else {
      throw PageError("the store is full")
    }
    return location
  }

  mutating func sync() throws(PageError) {}

  mutating func discard() {}
}

/// A store in memory and its writer.
struct MemoryStore {
  let pages = MemoryPages()
  let store: PageStore
  var writer: StoredNodeWriter<MemorySink>

  init() {
    guard let store = PageStore.register(pages) else { preconditionFailure("no number is left for the store") }
    self.store = store
    writer = StoredNodeWriter(MemorySink(pages: pages, store: store))
  }

  /// Stores a node, and returns its location.
  mutating func save(_ node: Node) throws -> StoredNode {
    let stored = try writer.write(node)
    try writer.commit()
    return stored
  }

  /// Stores a node, and returns it with nothing in memory.
  mutating func cold(_ node: Node) throws -> Node { try save(node).open() }
}

/// The part of a tree's data that is in memory between the steps of a test.
enum Residency: CaseIterable, Sendable {
  /// All of it.
  case resident
  /// None of it.
  case cold

  /// The runs of a test with these seeds: resident with each, and cold with each, or with the last one of a sample.
  static func runs(_ seeds: UInt64) -> [(seed: UInt64, residency: Residency)] {
    let coldCount = UInt64(Torture.count(sample: 1, full: Int(seeds)))
    return (1...seeds).map { ($0, .resident) } + (seeds - coldCount + 1...seeds).map { ($0, .cold) }
  }
}

/// A tree between the steps of a test.
struct PagedTree {
  private var store: MemoryStore?

  init(_ residency: Residency) { store = residency == .cold ? MemoryStore() : nil }

  /// Returns the node as the next step sees it.
  mutating func step(_ node: Node) throws -> Node { try store?.cold(node) ?? node }
}
