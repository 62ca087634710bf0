import CAtomics

/// A reader of stored pages by location, such as the files of a database.
package protocol PageSource: AnyObject, Sendable {
  /// Reads a record and calls `body` with its bytes, which are valid during the call, and the seed of its checksum.
  /// Called on any thread, several at once; blocks the thread.
  func read(
    at location: PageLocation, _ body: (_ record: UnsafeRawBufferPointer, _ seed: UInt64) -> Void
  ) throws(PageError)

  /// Returns the path of the file with a record, for errors; `nil` for a source without files.
  func file(at location: PageLocation) -> String?
}

extension PageSource {
  /// Returns `nil`, as sources without files do.
  package func file(at location: PageLocation) -> String? { nil }
}

/// The error for a page that cannot be read or written, or for the files of pages.
package struct PageError: Error, Equatable, CustomStringConvertible {
  /// The closed list of codes. The texts appear in logs and are never renamed.
  package enum Code: String, Sendable {
    /// The data that was read is not the data that was written.
    case damaged
    /// The system cannot read or write a file.
    case inputOutput = "input-output"
    /// The disk is full, or the store has no addresses left. Nothing counts as stored.
    case noSpace = "no-space"
    /// The process has no permission to open or change a file.
    case permissionDenied = "permission-denied"
    /// A sync failed, and its effect is unknown. The store accepts no more records until it is opened again.
    case failed
    /// The store was closed.
    case closed
    /// A file does not exist, or is too short.
    case missing
    /// A file belongs to other data.
    case foreign
    /// The format is that of a newer version, or the file system is of a kind that is not supported.
    case unsupported
  }

  /// The code of the error.
  package var code: Code
  /// The fault.
  package var finding: String
  /// The location of the page, if it is known.
  package var location: PageLocation?
  /// The path of the file or folder, if it is known.
  package var file: String?

  /// Creates an error.
  package init(_ finding: String, _ code: Code = .damaged, at location: PageLocation? = nil, file: String? = nil) {
    self.finding = finding
    self.code = code
    self.location = location
    self.file = file
  }

  package var description: String {
    let page = location.map { "page at \($0.address) of \($0.sizeBytes) bytes: " } ?? ""
    return page + finding + (file.map { " [file \($0)]" } ?? "")
  }
}

/// A source of pages under the number by which locations name it in this process.
///
/// A store stays in the table until the process ends, because references to its pages may remain in caches; a closed
/// source refuses reads.
package final class PageStore: @unchecked Sendable {
  // @unchecked because of the cells, which are accessed atomically.

  /// The maximum number of stores in the life of a process.
  package static let storesMax = 0xFFFF

  /// The number of the store, from 1.
  package let number: UInt16
  private let source: any PageSource
  /// Five words: the first failure, as the address of a `FailureBox`, the resident bytes, the number of loads, the
  /// evicted bytes, and the number of failed loads.
  private let cells: UnsafeMutableRawPointer

  private final class FailureBox {
    let error: PageError
    init(_ error: PageError) { self.error = error }
  }

  private init(number: UInt16, source: any PageSource) {
    self.number = number
    self.source = source
    cells = .allocate(byteCount: 40, alignment: 8)
    cells.initializeMemory(as: UInt.self, repeating: 0, count: 5)
  }

  /// The table of stores by number, and the number that was given last. Entries are the addresses of retained stores.
  /// Unchecked because the words are accessed atomically.
  private nonisolated(unsafe) static let table: UnsafeMutableRawPointer = {
    let count = storesMax + 1
    let table = UnsafeMutableRawPointer.allocate(byteCount: 8 * count, alignment: 8)
    table.initializeMemory(as: UInt.self, repeating: 0, count: count)
    return table
  }()

  /// Gives a source a number. Returns `nil` when the process has used all numbers.
  package static func register(_ source: any PageSource) -> PageStore? {
    // The first entry, which no store has, is the last number given.
    let number = atomic_word_add(table, 1)
    guard number > 0, number <= storesMax else { return nil }
    let store = PageStore(number: UInt16(number), source: source)
    atomic_word_store(table + 8 * number, UInt(bitPattern: Unmanaged.passRetained(store).toOpaque()))
    return store
  }

  /// Returns the store of a number, if there is one.
  package static func named(_ number: UInt16) -> PageStore? {
    guard number > 0, let address = UnsafeRawPointer(bitPattern: atomic_word_load(table + 8 * Int(number))) else {
      return nil
    }
    return Unmanaged<PageStore>.fromOpaque(address).takeUnretainedValue()
  }

  /// The first error of a read since the last call of ``clearFailure()``.
  package var failure: PageError? {
    guard let address = UnsafeRawPointer(bitPattern: atomic_word_load(cells)) else { return nil }
    return Unmanaged<FailureBox>.fromOpaque(address).takeUnretainedValue().error
  }

  /// Counts a failed load, and keeps the first error for ``failure``.
  package func latch(_ error: PageError) {
    atomic_word_add(cells + 32, 1)
    guard atomic_word_load(cells) == 0 else { return }
    let box = Unmanaged.passRetained(FailureBox(error))
    if atomic_word_exchange_if(cells, 0, UInt(bitPattern: box.toOpaque())) != 0 { box.release() }
  }

  /// Forgets the error, so that the next one is kept. The error's memory, which a reader may be using, is not freed.
  package func clearFailure() { atomic_word_store(cells, 0) }

  /// The bytes of stored pages, branches and texts of this store that are in memory, in any version.
  package var residentBytes: Int { Int(bitPattern: atomic_word_load_relaxed(cells + 8)) }

  /// The number of records read since the start.
  package var loadCount: Int { Int(bitPattern: atomic_word_load_relaxed(cells + 16)) }

  /// The number of these that failed.
  package var failedLoadCount: Int { Int(bitPattern: atomic_word_load_relaxed(cells + 32)) }

  /// The part of ``residentBytes`` that evictions have removed from the newest version, and that older ones keep.
  package var evictedBytes: Int { Int(bitPattern: atomic_word_load_relaxed(cells + 24)) }

  /// The part of ``residentBytes`` that no eviction has removed from the newest version.
  package var newestBytes: Int { residentBytes - evictedBytes }

  /// Counts objects of a store that came into memory, or left it.
  static func addResident(_ bytes: Int, at location: PageLocation) {
    if let store = named(location.store) { atomic_word_add(store.cells + 8, bytes) }
  }

  /// Counts objects of a store that an eviction has removed from the newest version, or that are freed since then.
  static func addEvicted(_ bytes: Int, at location: PageLocation) {
    if let store = named(location.store) { atomic_word_add(store.cells + 24, bytes) }
  }

  /// Reads a record of any store and decodes it with `body`.
  static func load<Value>(
    _ location: PageLocation, _ body: (PageRecord) throws(PageError) -> Value
  ) throws(PageError) -> Value {
    guard let store = named(location.store) else { throw PageError("the store is not open", at: location) }
    return try store.load(location, body)
  }

  /// Reads a record and decodes it with `body`.
  func load<Value>(
    _ location: PageLocation, _ body: (PageRecord) throws(PageError) -> Value
  ) throws(PageError) -> Value {
    atomic_word_add(cells + 16, 1)
    var result: Result<Value, PageError> = .failure(PageError("the source returned no bytes", at: location))
    do {
      try source.read(at: location) { bytes, seed in
        do throws(PageError) {
          result = .success(try body(PageRecord(bytes, at: location, seed: seed)))
        } catch {
          result = .failure(error)
        }
      }
      return try result.get()
    } catch {
      var error = error
      error.file = error.file ?? source.file(at: error.location ?? location)
      throw error
    }
  }
}
