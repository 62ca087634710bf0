import HearthEngine
import HearthJournal
import HearthPages
import HearthSystem
import HearthTree

/// The conversion of a snapshot that is large beside the memory for pages: it is streamed into page files, and a
/// checkpoint at its position takes its place.
///
/// It may be interrupted at any point: what it has written before the checkpoint is removed at the next opening.
struct SnapshotConversion {
  let folder: String
  let cache: PageCache
  let environment: DatabaseEnvironment
  let limits: DatabaseLimits

  /// Creates the conversion of the databases that are to have pages; nil for others.
  init?(to folder: String?, _ environment: DatabaseEnvironment, _ limits: DatabaseLimits) {
    guard let folder, let cache = environment.pages else { return nil }
    (self.folder, self.cache, self.environment, self.limits) = (folder, cache, environment, limits)
  }

  /// Converts a journal's current snapshot, if it is large. Without the disk space for it nothing is changed.
  ///
  /// - Returns: True when the journal has a checkpoint now.
  /// - Throws: `JournalError`, ``RecordError``; the snapshot is intact then.
  func run(_ journal: any Journal) throws -> Bool {
    guard let snapshot = try journal.currentSnapshot(),
      snapshot.sizeBytes >= max(limits.pagedBytesMin, cache.sizeBytes / 2)
    else { return false }
    let neededBytes = snapshot.sizeBytes + snapshot.sizeBytes / 2
    let space = FileSystemSpace(at: AtomicFile.parent(of: folder))
    let availableBytes = space?.availableBytes ?? .max
    guard availableBytes >= neededBytes else {
      environment.notice(.conversionRefused(neededBytes: neededBytes, availableBytes: availableBytes))
      return false
    }
    environment.notice(.conversionBegun(sizeBytes: snapshot.sizeBytes, availableBytes: availableBytes))
    do {
      let files = try PageFiles(folder: folder, extent: .empty)
      guard let (store, source) = StoreFiles.store(of: files, in: cache) else {
        files.close()
        return false
      }
      let result = Result { try Self.write(snapshot, of: journal, to: files, store) }
      source.close(store)
      _ = try journal.completeCheckpoint(at: snapshot.position, payload: try result.get())
      return true
    } catch let error as PageError {
      throw JournalError(error)
    }
  }

  /// Writes the pages of a snapshot, and returns the content of the checkpoint.
  private static func write(
    _ snapshot: SnapshotInfo, of journal: any Journal, to files: PageFiles, _ store: PageStore
  ) throws -> [UInt8] {
    let spill = StoredNodeSpill(PageFileWriter(files, store: store))
    var reader = SnapshotReader(NodeBuilder(to: spill))
    for index in 0..<snapshot.chunkCount { try reader.read(journal.snapshotChunk(index, of: snapshot)) }
    guard let root = reader.root, let sessions = reader.sessions, reader.position == snapshot.position else {
      throw RecordError("it is not complete", byteOffset: snapshot.sizeBytes)
    }
    let (stored, sink) = try spill.finish(root)
    var writer = StoredNodeWriter(sink)
    let others = [sessions, PagedStorage.settings(storedRules: reader.storedRules)]
    let roots = [stored] + (try others.map { try writer.write($0) })
    try writer.commit()
    return PageCheckpoint(root: roots[0], sessions: roots[1], settings: roots[2], extent: files.extent).bytes
  }
}
