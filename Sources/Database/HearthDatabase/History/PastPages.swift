import HearthEngine
import HearthJournal
import HearthPages
import HearthTree

#if canImport(Glibc)
  import Glibc
#elseif canImport(Musl)
  import Musl
#else
  import Darwin
#endif

/// The past states in a database's page files.
///
/// Values are copied from the pages: no cached state or response refers to one, so that files need to stay for the
/// duration of a read only.
struct PastPages {
  let storage: PagedStorage
  let sizeBytesMax: Int

  /// The time for which a read waits while files are removed, and the time between two attempts.
  private static let (waitMilliseconds, retryMilliseconds) = (10_000, 10)

  /// Calls `body` while no file is removed.
  ///
  /// - Throws: `.inUse` when files are removed for a long time.
  func reading<Value>(_ isCancelled: () -> Bool, _ body: () throws -> Value) throws -> Value {
    for _ in 0..<Self.waitMilliseconds / Self.retryMilliseconds {
      if let lock = try PageFolderLock.forReading(storage.files.folder) {
        defer { withExtendedLifetime(lock) {} }
        return try body()
      }
      if isCancelled() { throw HistoryError.cancelled }
      usleep(UInt32(Self.retryMilliseconds * 1_000))
    }
    throw JournalError(
      .inUse, "the database has been removing pages for \(Self.waitMilliseconds / 1_000) seconds; try again later",
      at: JournalError.Place(file: storage.files.folder))
  }

  /// Returns one location of a checkpoint's state. Must be called within ``reading(_:_:)``.
  func state(of checkpoint: Checkpoint, _ path: Path, _ isCancelled: () -> Bool) throws -> PastState {
    let roots = try storage.roots(of: try PageCheckpoint(checkpoint.payload))
    let (found, faults) = FaultScope.run(.stream) { (roots.data[path], PagedStorage.storedRules(in: roots.settings)) }
    try storage.requireComplete(faults)
    var state = PastState(path: path, node: .empty, position: checkpoint.position, storedRules: found.1)
    state.node = try copy(found.0, isCancelled)
    return state
  }

  /// Returns an equal node that refers to no page.
  ///
  /// - Throws: ``HistoryError/tooLarge(sizeBytesMax:)``.
  func copy(_ node: Node, _ isCancelled: () -> Bool) throws -> Node {
    try requireSize(of: node)
    var reader = SnapshotReader()
    let faults = try FaultScope.run(.stream) {
      try SnapshotFormat.write(
        [node, .empty], position: 0, storedRules: nil, chunkBytes: JournalLimits.snapshotChunkBytes
      ) { chunk in
        if isCancelled() { throw HistoryError.cancelled }
        try reader.read(chunk)
      }
    }.faults
    try storage.requireComplete(faults)
    guard let copy = reader.root, reader.sessions != nil else {
      throw JournalError(.inputOutput, "a value cannot be copied from its pages")
    }
    return copy
  }

  /// - Throws: ``HistoryError/tooLarge(sizeBytesMax:)``.
  func requireSize(of node: Node) throws(HistoryError) {
    guard node.heldBytes(upTo: sizeBytesMax) <= sizeBytesMax else { throw .tooLarge(sizeBytesMax: sizeBytesMax) }
  }
}
