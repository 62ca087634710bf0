/// Removes old backups, and the pieces that no backup needs.
public struct Retention {
  /// What was removed.
  public struct Outcome: Sendable, Equatable {
    /// Names of backups.
    public var removed: [String] = []
    /// How many are left.
    public var keptCount = 0
    /// Pieces that nobody needed.
    public var removedPieceCount = 0
  }

  private let repository: Repository

  /// - Parameter repository: opened for removing.
  public init(_ repository: Repository) { self.repository = repository }

  /// Removes backups from before an instant, but for the last of them, so that every moment since can be restored; and the
  /// newest one stays in any case. Then removes the pieces that none of the others names.
  ///
  /// Lists go first, and durably, so that whenever this is ended no backup lacks a piece.
  ///
  /// - Parameter instantMilliseconds: nil removes no backup.
  /// - Throws: `.damaged` when a list cannot be read, since nobody knows what it needs: nothing is removed then.
  public func prune(before instantMilliseconds: Int64?) throws(BackupError) -> Outcome {
    let (manifests, broken) = try repository.manifests()
    if let first = broken.first {
      throw BackupError(
        first.code,
        "nothing is removed, since nobody can tell what a backup needs whose list cannot be read: "
          + first.message, path: first.path)
    }
    var outcome = Outcome()
    var kept = manifests
    if let instantMilliseconds {
      let oldCount = manifests.count { $0.instantMilliseconds < instantMilliseconds }
      kept = Array(manifests.dropFirst(max(0, oldCount - 1)))
    }
    var needed: Set<BlobID> = []
    for manifest in kept {
      // Equal names are equal pieces: what the backup before named needs no second look.
      for stream in manifest.streams where !stream.names.allSatisfy(needed.contains) {
        let (pieces, lists) = try repository.names(of: stream)
        needed.formUnion(pieces)
        needed.formUnion(lists)
      }
    }
    outcome.keptCount = kept.count
    for manifest in manifests.dropLast(kept.count) {
      try repository.removeManifest(manifest.id)
      outcome.removed.append(manifest.id)
    }
    try repository.finishRemoval()
    outcome.removedPieceCount = try removePieces(but: needed)
    return outcome
  }

  private func removePieces(but needed: Set<BlobID>) throws(BackupError) -> Int {
    let files = repository.files
    var count = 0
    for folder in try files.names(in: repository.blobsPath) {
      let place = "\(repository.blobsPath)/\(folder)"
      for name in try files.names(in: place) {
        if let id = BlobID(hex: name) {
          guard !needed.contains(id) else { continue }
          count += 1
        } else if !name.hasSuffix(".new") {
          continue
        }
        try files.remove("\(place)/\(name)")
      }
    }
    for name in try files.names(in: repository.backupsPath) where name.hasSuffix(".new") {
      try files.remove("\(repository.backupsPath)/\(name)")
    }
    return count
  }
}
