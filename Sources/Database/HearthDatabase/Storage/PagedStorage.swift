import HearthEngine
import HearthJournal
import HearthPages
import HearthSystem
import HearthTree
import Synchronization

/// The pages of a database whose data need not be in memory. A checkpoint in the journal names those of a durable
/// state.
///
/// The journal must be owned before the files are opened, and until they are closed.
final class PagedStorage: Sendable {
  /// The durable state that a checkpoint names. Its pages are read when they are needed.
  struct Content {
    var position: Int64
    var root: Node
    var sessions: Node
    var storedRules: String?
    var indexes = StoredIndexes()
  }

  private struct Writing {
    var nodes: StoredNodeWriter<CheckpointSink>
    /// The settings that were stored last, without indexes, which need not be stored again.
    var settings: (storedRules: String?, node: Node) = (nil, .empty)

    /// Stores what is not stored yet of some nodes, durably. After an error nothing of it is.
    mutating func store(_ stored: [Node]) throws(PageError) -> [StoredNode] {
      var roots: [StoredNode] = []
      do throws(PageError) {
        for node in stored { roots.append(try nodes.write(node)) }
      } catch {
        nodes.discard()
        throw error
      }
      try nodes.commit()
      return roots
    }
  }

  private static let rulesKey: Key = "rules"
  /// The key of the indexes in the settings of a checkpoint.
  static let indexesKey: Key = "indexes"
  /// The key of the position of the indexes. An older program may store indexes of an earlier checkpoint again.
  private static let indexPositionKey: Key = "position"

  let files: PageFiles
  private let source: StoreFiles
  private let store: PageStore
  private let limit = CheckpointLimit()
  private let writing: Mutex<Writing>
  private let cache: PageCache
  private let eviction: Mutex<PageEviction>
  private let knownLoadCount = Atomic(0)
  private let excessHandler = Mutex<(@Sendable () -> Void)?>(nil)

  /// Opens the files in a folder, and removes what they have beyond the checkpoints.
  ///
  /// - Parameters:
  ///   - cache: The memory for pages, which the files share with those of other databases.
  ///   - checkpoint: The newest checkpoint; nil before the first one.
  ///   - retained: The segments that older checkpoints name; nil when one of these cannot be read.
  init(
    folder: String, cache: PageCache, checkpoint: PageCheckpoint?, retained: [PageFileExtent.Segment]? = []
  ) throws(PageError) {
    files = try PageFiles(folder: folder, extent: checkpoint?.extent ?? .empty, retained: retained)
    guard let (store, source) = StoreFiles.store(of: files, in: cache) else {
      files.close()
      throw PageError("the server has opened too many databases with pages since its start; restart it", .noSpace)
    }
    (self.store, self.source, self.cache) = (store, source, cache)
    eviction = Mutex(PageEviction(of: store, in: cache))
    let writer = PageFileWriter(files, store: store)
    writing = Mutex(Writing(nodes: StoredNodeWriter(CheckpointSink(sink: writer, limit: limit))))
    cache.insert(store) { [weak self] in self?.excessHandler.withLock(\.self)?() }
  }

  /// Opens the pages of a journal's newest checkpoint; nil without one. Then pages that a crash before the first
  /// checkpoint has left are removed.
  ///
  /// - Parameter folder: The folder of the database's pages; nil when the journal's storage engine has none.
  static func open(
    _ journal: any Journal, folder: String?, cache: PageCache
  ) throws(JournalError) -> (storage: PagedStorage, content: Content)? {
    let checkpoint = try journal.currentCheckpoint()
    do throws(PageError) {
      guard let folder else {
        if checkpoint == nil { return nil }
        throw PageError("the journal has a checkpoint, and its storage engine has no pages", .unsupported)
      }
      guard let checkpoint else {
        let hasLeftovers = (try? AtomicFile.names(in: folder))?.isEmpty == false
        if hasLeftovers { try PageFiles(folder: folder, extent: .empty).close() }
        return nil
      }
      let pages = try PageCheckpoint(checkpoint.payload)
      let storage = try PagedStorage(
        folder: folder, cache: cache, checkpoint: pages, retained: try? journal.retainedSegments())
      do throws(PageError) {
        return (storage, try storage.content(of: pages, at: checkpoint.position))
      } catch {
        storage.close()
        throw error
      }
    } catch {
      throw JournalError(error)
    }
  }

  /// Returns the settings that a checkpoint stores.
  static func settings(storedRules: String?) -> Node {
    Node.empty.replacing(rulesKey, with: storedRules.map { Node(.string($0)) } ?? .empty)
  }

  /// Returns the rules in the settings of a checkpoint; nil before the first deployment.
  static func storedRules(in settings: Node) -> String? {
    if case .string(let rules)? = settings.child(rulesKey).scalar { rules } else { nil }
  }

  /// Returns the indexes in the settings of a checkpoint; none when they are of another position.
  private static func indexes(in settings: Node, at position: Int64) -> StoredIndexes {
    guard settings.child(indexPositionKey).scalar == .int(position) else { return StoredIndexes() }
    return StoredIndexes(settings.child(indexesKey))
  }

  private func content(of checkpoint: PageCheckpoint, at position: Int64) throws(PageError) -> Content {
    let roots = try roots(of: checkpoint)
    var content = Content(position: position, root: roots.data, sessions: roots.sessions)
    content.storedRules = Self.storedRules(in: roots.settings)
    if let failure { throw failure }
    ignoringFailure {
      let (indexes, faults) = FaultScope.run(.install) { Self.indexes(in: roots.settings, at: position) }
      // Indexes are built again.
      if !faults.isIncomplete { content.indexes = indexes }
    }
    let settings = Self.settings(storedRules: content.storedRules)
    writing.withLock { $0.settings = (content.storedRules, settings) }
    return content
  }

  /// The bytes of stored pages in memory, the numbers of reads of the files, and the bytes of these.
  var counts: (residentBytes: Int, loadCount: Int, failedLoadCount: Int, fileBytes: Int) {
    let fileBytes = files.extent.segments.reduce(0) { $0 + $1.sizeBytes }
    return (store.residentBytes, store.loadCount, store.failedLoadCount, fileBytes)
  }

  // MARK: Cleaning

  /// Opens the roots of a checkpoint, with nothing below them in memory.
  func roots(of checkpoint: PageCheckpoint) throws(PageError) -> (data: Node, sessions: Node, settings: Node) {
    func node(_ bytes: [UInt8]) throws(PageError) -> Node { try StoredNode(bytes, in: store).open() }
    return (try node(checkpoint.root), try node(checkpoint.sessions), try node(checkpoint.settings))
  }

  /// Lets the next checkpoint store the settings again.
  func forgetSettings() { writing.withLock { $0.settings = (nil, .empty) } }

  /// Lets the next checkpoint begin a new segment.
  func seal() {
    writing.withLock { $0.nodes.updateSink { $0.seal() } }
  }

  /// The number of the store, by which references in memory name it.
  var storeNumber: UInt16 { store.number }

  /// The first failed read of a page since the last call of ``clearFailure()``.
  var failure: PageError? { store.failure }

  /// Forgets the failed read. The page is read again when it is needed.
  func clearFailure() { store.clearFailure() }

  /// Reads what may be missing: a failed read in `body` is forgotten. No read has failed before.
  func ignoringFailure(_ body: () -> Void) {
    body()
    clearFailure()
  }

  /// Throws when a read of a page has failed.
  func requireComplete() throws(JournalError) {
    if let failure { throw JournalError(failure) }
  }

  /// Throws when one of these reads has failed.
  func requireComplete(_ faults: FaultCounts) throws(JournalError) {
    guard faults.failed > 0 else { return }
    try requireComplete()
    throw JournalError(.inputOutput, "a page of the database cannot be read")
  }

  /// Stores what is not stored yet of a state, durably.
  ///
  /// - Parameter check: Called with numbers of bytes before they become durable, to end the work by an error.
  /// - Returns: The content of a checkpoint of the state, the number of pages and branches that were written, and their
  ///   bytes.
  /// - Throws: `PageError`, errors of `check`. The pages of earlier checkpoints stay as they are.
  func store(
    _ state: DatabaseState, _ check: @escaping @Sendable (_ sizeBytes: Int) throws -> Void
  ) throws -> (payload: [UInt8], pageCount: Int, sizeBytes: Int) {
    limit.begin(check)
    defer {
      limit.end()
      eviction.withLock { $0.noteStored() }
    }
    do {
      return try writing.withLock { writing in
        if writing.settings.storedRules != state.storedRules {
          writing.settings = (state.storedRules, Self.settings(storedRules: state.storedRules))
        }
        let before = (writing.nodes.pageCount + writing.nodes.branchCount, writing.nodes.byteCount)
        var settings = writing.settings.node
        if !state.indexes.isEmpty {
          settings = settings.replacing([
            (Path([Self.indexesKey]), state.indexes.tree), (Path([Self.indexPositionKey]), Node(.int(state.position))),
          ])
        }
        let roots = try writing.store([state.root, state.sessions.tree, settings])
        let checkpoint = PageCheckpoint(root: roots[0], sessions: roots[1], settings: roots[2], extent: files.extent)
        return (
          checkpoint.bytes, writing.nodes.pageCount + writing.nodes.branchCount - before.0,
          writing.nodes.byteCount - before.1
        )
      }
    } catch {
      throw limit.reason ?? error
    }
  }

  /// Stores the state of an older checkpoint without some of its data, and without sessions and indexes, durably.
  ///
  /// - Parameter change: Returns the data to store; nil when nothing is to be changed.
  /// - Returns: The new content of the checkpoint, which may be used once the newest checkpoint names the present
  ///   extent; nil when nothing is to be changed.
  /// - Throws: `PageError`; `JournalError` when a page cannot be read.
  func replacement(of checkpoint: PageCheckpoint, _ change: (Node) -> Node?) throws -> PageCheckpoint? {
    let roots = try roots(of: checkpoint)
    let ((changed, indexes, storedRules), faults) = FaultScope.run(.install) {
      (change(roots.data), roots.settings.child(Self.indexesKey), Self.storedRules(in: roots.settings))
    }
    try requireComplete(faults)
    guard changed != nil || !roots.sessions.isEmpty || !indexes.isEmpty else { return nil }
    let before = files.extent
    let (stored, extent) = try writing.withLock { writing throws(PageError) in
      (try writing.store([changed ?? roots.data, .empty, Self.settings(storedRules: storedRules)]), files.extent)
    }
    var replacement = checkpoint
    (replacement.root, replacement.sessions, replacement.settings) = (stored[0].bytes, stored[1].bytes, stored[2].bytes)
    replacement.extent = checkpoint.extent.joined(with: extent, after: before.endAddress, in: files)
    return replacement
  }

  /// Refuses reads and writes from now on. Pages that are in memory stay readable.
  func close() {
    cache.remove(store)
    source.close(store)
  }
}

// MARK: The cache

extension PagedStorage {
  /// Sets the work that evicts or stores pages when there are too many in memory. It must not block.
  func setExcessHandler(_ work: @escaping @Sendable () -> Void) { excessHandler.withLock { $0 = work } }

  /// Returns true when pages were read since the last call.
  func takeHasLoaded() -> Bool {
    let count = store.loadCount
    return knownLoadCount.exchange(count, ordering: .relaxed) != count
  }

  /// True when pages are to be evicted.
  var isExceeded: Bool { cache.excessBytes(of: store) > 0 }

  /// Evicts pages: see ``PageEviction/run(_:release:)``.
  func evict(_ body: (_ clock: inout StateEvictor, _ sizeBytes: Int) -> Void, release: () -> Void = {}) -> Bool {
    eviction.withLock { $0.run(body, release: release) }
  }

  /// Sets the bytes of pages that are not stored.
  func setDirtyBytes(_ bytes: Int) { cache.setDirtyBytes(bytes, of: store) }

  /// Evicts pages during a replay, and stores them ahead of the next checkpoint when that is necessary.
  ///
  /// - Parameter log: The replayed log whose pages are not stored; empty afterwards if they are.
  /// - Throws: `PageError`, but none when the disk is full: then the pages stay in memory.
  func relieve(
    _ root: inout Node, _ sessions: Node, _ indexes: inout StoredIndexes, _ log: inout SnapshotSchedule.Log
  ) throws(PageError) {
    setDirtyBytes(SnapshotSchedule.pageBytes(of: log))
    if needsCheckpoint {
      do throws(PageError) {
        // No checkpoint names these pages yet.
        _ = try writing.withLock { writing throws(PageError) in try writing.store([root, sessions, indexes.tree]) }
        log = SnapshotSchedule.Log()
        setDirtyBytes(0)
      } catch {
        guard error.code == .noSpace else { throw error }
      }
    }
    while isExceeded, evict({ $0.run(&root, &indexes, sizeBytes: $1) }) {}
  }

  /// True when pages are to be stored now.
  var needsCheckpoint: Bool { cache.needsCheckpoint(of: store) }

  /// True when no more pages are to be changed until some are stored.
  var isFull: Bool { cache.isFull(of: store) }
}

extension JournalError {
  /// The error of a journal whose checkpoint has pages that cannot be read or written.
  init(_ error: PageError) {
    let code: Code =
      switch error.code {
      case .damaged, .foreign, .missing: .corrupt
      case .inputOutput: .inputOutput
      case .noSpace: .noSpace
      case .permissionDenied: .permissionDenied
      case .failed: .failed
      case .closed: .closed
      case .unsupported: .unsupported
      }
    var finding = error
    finding.file = nil
    self.init(code, "\(finding)", at: Place(file: error.file))
  }
}
