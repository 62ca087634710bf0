import HearthPages
import HearthTree
import Synchronization

/// The files behind a store of pages, which outlives them: references to its pages may remain in memory.
///
/// There are few numbers of stores in the life of a process. When files are opened again as they were closed, they
/// continue the same store; a page that was lost makes them another one.
final class StoreFiles: PageSource {
  /// The store that was opened with some files, and their end when they were closed.
  private struct Closed {
    var store: PageStore
    var source: StoreFiles
    var extent: PageFileExtent
  }

  private static let closed = Mutex<[String: Closed]>([:])

  private let open = Mutex<(files: PageFiles, cache: PageCache)?>(nil)

  /// Returns the store of opened files; nil when the process has used all numbers of stores.
  static func store(of files: PageFiles, in cache: PageCache) -> (store: PageStore, source: StoreFiles)? {
    let closed = closed.withLock { $0.removeValue(forKey: files.folder) }
    if let closed, closed.extent == files.extent {
      closed.store.clearFailure()
      closed.source.open.withLock { $0 = (files, cache) }
      return (closed.store, closed.source)
    }
    let source = StoreFiles()
    source.open.withLock { $0 = (files, cache) }
    return PageStore.register(source).map { ($0, source) }
  }

  /// Closes the files.
  func close(_ store: PageStore) {
    guard let (files, _) = open.withLock({ $0.take() }) else { return }
    files.close()
    Self.closed.withLock { $0[files.folder] = Closed(store: store, source: self, extent: files.extent) }
  }

  func read(
    at location: PageLocation, _ body: (_ record: UnsafeRawBufferPointer, _ seed: UInt64) -> Void
  ) throws(PageError) {
    guard let (files, cache) = open.withLock(\.self) else {
      throw PageError("the files are closed", .closed, at: location)
    }
    try files.read(at: location, body)
    cache.noteRead(location.sizeBytes)
  }

  func file(at location: PageLocation) -> String? { open.withLock(\.self)?.files.file(at: location) }
}
