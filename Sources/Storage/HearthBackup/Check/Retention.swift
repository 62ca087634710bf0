/// The removal of old backups, and of the pieces that no backup needs.
public struct Retention {
  /// The result of a removal.
  public struct Outcome: Sendable, Equatable {
    /// The names of the removed backups.
    public var removed: [String] = []
    /// The number of backups left.
    public var keptCount = 0
    /// The number of removed pieces that no backup needed.
    public var removedPieceCount = 0
  }

  private let repository: BackupRepository

  /// - Parameter repository: A repository opened for removing.
  public init(_ repository: BackupRepository) { self.repository = repository }

  /// Removes the backups before a time, except the last of them, so that every later state can be restored; the newest
  /// backup always stays. Then removes the pieces that no remaining backup needs.
  ///
  /// Manifests are removed first, and durably, so that no listed backup ever lacks a piece.
  ///
  /// - Parameter instantMilliseconds: Nil removes no backup.
  /// - Throws: `.damaged` when a manifest is unreadable, because the pieces that it needs are unknown: nothing is
  ///   removed then.
  public func prune(before instantMilliseconds: Int64?) throws(BackupError) -> Outcome {
    let (manifests, broken) = try repository.manifests()
    if let first = broken.first {
      throw BackupError(
        first.code,
        "no backup was removed, because the list of a backup cannot be read, and its needs are unknown: "
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
      // Streams with equal piece names are equal: those known from the previous backup are skipped.
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
