import HearthTree

/// The erasure of a user, and of given locations, from the log and its snapshots.
///
/// A commit stays at its position, with its time and the rules that allowed it, and keeps its remaining changes, if
/// there are any. Reads of the history find no data at the erased locations, at any time. All on-disconnect writes,
/// with the users' claims in them, are removed as well: only a restart would read them, and it begins at a later
/// snapshot.
package struct RecordErasure: Sendable {
  /// The user ID as records contain it; nil when only locations are erased.
  private let uid: String?
  private let places: [Path]

  /// Creates an erasure.
  ///
  /// - Parameters:
  ///   - uid: The user whose commits lose their author; nil for none.
  ///   - places: The locations that are erased with all data below them.
  package init(uid: String?, places: [Path]) {
    self.uid = uid?.bounded(utf8: CommitAuthor.textBytesMax)
    self.places = places
  }

  /// Returns the new payload of a batch, or nil when there is nothing to erase in it.
  ///
  /// - Parameter piece: Returns the new bytes of a piece, which cannot be decoded by itself; nil leaves it unchanged.
  /// - Throws: ``RecordError``; any error of `piece`.
  package func erased(
    _ payload: [UInt8], piece: (_ index: Int, _ number: Int64, _ bytes: ArraySlice<UInt8>) throws -> [UInt8]?
  ) throws -> [UInt8]? {
    var (records, isChanged) = (try CommitRecord.decode(payload), false)
    for index in records.indices {
      if case .piece(let number, let bytes) = records[index].content {
        guard let replacement = try piece(index, number, bytes) else { continue }
        records[index].content = .piece(number: number, bytes: replacement[...])
        isChanged = true
      } else if let record = erased(records[index]) {
        records[index] = record
        isChanged = true
      }
    }
    guard isChanged else { return nil }
    var bytes: [UInt8] = []
    for record in records { record.append(to: &bytes) }
    return bytes
  }

  /// Returns the record without the user and the locations, or nil when it contains neither.
  package func erased(_ record: CommitRecord) -> CommitRecord? {
    var (result, isChanged) = (record, false)
    if isAuthor(of: record) {
      result.author = nil
      isChanged = true
    }
    switch record.content {
    case .changes(let changes):
      if let left = erased(changes) {
        result.content = .changes(left)
        isChanged = true
      }
    case .sessions(let changes) where !changes.isEmpty:
      result.content = .sessions([])
      isChanged = true
    case .joint(var records, let cause):
      for index in records.indices {
        guard let record = erased(records[index]) else { continue }
        records[index] = record
        isChanged = true
      }
      result.content = .joint(records, of: cause)
    case .sessions, .rules, .piece, .lastPiece, .note: break
    }
    return isChanged ? result : nil
  }

  /// Returns true when the user made a commit of a batch.
  ///
  /// - Throws: ``RecordError``.
  package func isAuthor(of payload: [UInt8]) throws -> Bool {
    guard uid != nil else { return false }
    return try CommitRecord.decode(payload).contains(where: isAuthor(of:))
  }

  /// Returns true when the user made a commit. User IDs are compared byte by byte: two IDs of different users can be
  /// equal by Unicode's rules.
  private func isAuthor(of record: CommitRecord) -> Bool {
    guard let uid else { return false }
    if case .joint(let records, _) = record.content { return records.contains(where: isAuthor(of:)) }
    return record.author?.uid.map { $0.utf8.elementsEqual(uid.utf8) } ?? false
  }

  private func erased(
    _ changes: [(location: Location, node: Node)]
  ) -> [(location: Location, node: Node)]? {
    guard !places.isEmpty else { return nil }
    var (left, isChanged): ([(location: Location, node: Node)], Bool) = ([], false)
    for change in changes {
      let path = change.location.path
      if places.contains(where: { $0.contains(path) }) {
        isChanged = true
        continue
      }
      var node = change.node
      if !change.location.isPriority {
        for place in places {
          guard let below = path.relative(place), !node[below].isEmpty else { continue }
          node = node.replacing(below, with: .empty)
          isChanged = true
        }
      }
      left.append((change.location, node))
    }
    return isChanged ? left : nil
  }

  /// Returns a tree without the locations and their keys, or nil when it has none of them.
  package func erased(_ root: Node) -> Node? {
    var left = root
    for place in places {
      if !left[place].isEmpty { left = left.replacing(place, with: .empty) }
      left = left.forgettingKey(at: place)
    }
    return left.isSameVersion(as: root) ? nil : left
  }
}
