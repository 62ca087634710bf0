import HearthEngine
import HearthJournal
import HearthPages
import HearthTree

/// A reader of the states that checkpoints name in page files, which another process may own and extend meanwhile.
///
/// Pages are read in the order of the keys, and each is compared with its checksum. Memory holds a chunk, and the pages
/// above the current one.
package struct PageCheckpointReader: CheckpointReader {
  /// The rules that a copy gets in place of rules that cannot be read.
  private static let closedRules = #"{"rules": {".read": false, ".write": false}}"#

  /// Creates a reader.
  package init() {}

  /// Renders the state from its pages: see `CheckpointReader`.
  package func forEachChunk(
    of checkpoint: Checkpoint, in folder: String, skipsUnreadable: Bool, _ body: ([UInt8]) throws -> Void
  ) throws {
    let state = try StoredCheckpoint(checkpoint, in: folder)
    defer { state.close() }
    func requireWhole() throws {
      guard !skipsUnreadable, let failure = state.failure else { return }
      throw state.firstDamage ?? state.error(failure, "a page cannot be read")
    }
    try FaultScope.run(.stream) {
      var rules = PagedStorage.storedRules(in: state.node(of: .settings))
      if state.failure != nil { rules = Self.closedRules }
      try requireWhole()
      try SnapshotFormat.write(
        [state.node(of: .data), state.node(of: .sessions)], position: checkpoint.position, storedRules: rules,
        chunkBytes: JournalLimits.snapshotChunkBytes
      ) { chunk in
        try requireWhole()
        try body(chunk)
      }
      try requireWhole()
    }
  }

  /// Reads all pages of the state: see `CheckpointReader`.
  package func examine(
    _ checkpoint: Checkpoint, in folder: String
  ) -> (damages: [JournalRecovery.Damage], count: Int) {
    var (damages, count): ([JournalRecovery.Damage], Int) = ([], 0)
    do throws(JournalError) {
      let state = try StoredCheckpoint(checkpoint, in: folder)
      defer { state.close() }
      state.forEachDamage { error in
        count += 1
        if count <= JournalLimits.listedDamagesMax {
          damages.append(JournalRecovery.Damage(place: error.place, finding: error.message))
        }
        return true
      }
    } catch {
      return ([JournalRecovery.Damage(place: error.place, finding: error.message)], 1)
    }
    return (damages, count)
  }
}

/// The pages of one checkpoint, open for reading.
private struct StoredCheckpoint {
  /// A part of the state.
  enum Part: CaseIterable {
    case data
    case sessions
    case settings
  }

  private let files: PageFiles
  private let store: PageStore
  private let checkpoint: PageCheckpoint

  init(_ checkpoint: Checkpoint, in folder: String) throws(JournalError) {
    do throws(PageError) {
      self.checkpoint = try PageCheckpoint(checkpoint.payload)
      files = PageFiles(reading: self.checkpoint.extent, in: folder)
      guard let store = PageStore.register(files) else {
        throw PageError("the process has opened too many files with pages since its start; restart it", .noSpace)
      }
      self.store = store
    } catch {
      throw JournalError(error)
    }
  }

  func close() { files.close() }

  /// The first page that could not be read.
  var failure: PageError? { store.failure }

  /// Returns a part of the state, of which nothing is read but a small root; empty, with a ``failure``, when that cannot be
  /// read.
  func node(of part: Part) -> Node {
    do throws(PageError) {
      return try open(part)
    } catch {
      store.latch(error)
      return .empty
    }
  }

  private func open(_ part: Part) throws(PageError) -> Node {
    let bytes =
      switch part {
      case .data: checkpoint.root
      case .sessions: checkpoint.sessions
      case .settings: checkpoint.settings
      }
    return try StoredNode(bytes, in: store).open()
  }

  /// Reads everything, and calls `body` with an error for each part that cannot be read, until it returns false.
  func forEachDamage(_ body: (JournalError) -> Bool) {
    var isEnded = false
    for part in Part.allCases where !isEnded {
      withoutActuallyEscaping(body) { body in
        do throws(PageError) {
          let node = try open(part)
          var verifier = StoredNodeVerifier { found in
            isEnded = !body(error(found.error, text(of: found, in: part)))
            return !isEnded
          }
          verifier.run(node)
        } catch {
          isEnded = !body(self.error(error, Self.text(ofAll: part, at: .root) + " cannot be read"))
        }
      }
    }
  }

  /// The error for the first part that cannot be read.
  var firstDamage: JournalError? {
    var first: JournalError?
    forEachDamage { error in
      first = error
      return false
    }
    return first
  }

  /// Returns an error that names the file, the byte in it and the reason.
  func error(_ error: PageError, _ finding: String) -> JournalError {
    var found = JournalError(error)
    found.place.file = error.file ?? files.folder
    found.place.byteOffset = error.location.map { files.offset(of: $0) }
    found.message = "\(finding): \(error.finding)"
    return found
  }

  /// Returns the beginning of the sentence that says what cannot be read.
  private func text(of found: UnreadableData, in part: Part) -> String {
    if part == .settings, found.path.keys.first == PagedStorage.indexesKey {
      let index = found.path.keys.dropFirst().first.flatMap { StoredIndexes.description(of: $0) }
      return "\(index ?? "indexes") cannot be read (no data is lost: the server builds it again)"
    }
    guard part == .data else { return Self.text(ofAll: part, at: found.path) + " cannot be read" }
    switch found.extent {
    case .text, .priority:
      return (found.extent == .text ? "the text" : "the priority") + " at \(found.path) cannot be read"
    case .children(nil, nil): return Self.text(ofAll: part, at: found.path) + " cannot be read"
    case .children(let first, let end):
      let from = first.map { " from \($0.text)" } ?? ""
      let before = end.map { " before \($0.text)" } ?? ""
      return "the children\(from)\(before) at \(found.path) cannot be read"
    }
  }

  private static func text(ofAll part: Part, at path: Path) -> String {
    switch part {
    case .data: "the data at \(path)"
    case .sessions: "onDisconnect operations"
    case .settings: "the rules"
    }
  }
}
