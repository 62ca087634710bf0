import HearthCrypto
import HearthTree

/// The result of an erasure from the audit trail.
package struct TrailErasure: Sendable, Equatable {
  /// The number of rewritten records.
  package var count = 0
  /// The hash of the newest record before the erasure, in hexadecimal, which an operator may have noted. Nil for an empty trail.
  package var formerHash: String?
}

extension AccountTransaction {
  /// The fields of a record that stay when its user is erased.
  private static let keptFields: Set<String> = ["seq", "time", "event", "project"]

  /// Removes a user from the audit trail: of the records about them only the number, the time, the event and the
  /// project stay, with `"erased": true`. The hash chain is recomputed from the first of them on.
  ///
  /// An unreadable trail stays unchanged from the first such record on: verifying finds that place anyway.
  mutating func eraseFromTrail(_ uid: String) -> TrailErasure {
    var erasure = TrailErasure()
    guard var head = auditHead, var previous = Digest(hex: head.previousHash)?.bytes,
      head.firstSequence <= head.sequence
    else { return erasure }
    let name = AuditRecord.name(of: uid)
    erasure.formerHash = head.hash
    var isChanged = false
    for sequence in head.firstSequence...head.sequence {
      let path = AccountPath.audit(sequence)
      guard let record = draft.root[path].withStringUTF8({ AuditRecord(stored: $0) }) ?? nil else { break }
      var fields = record.fields
      if record.isAbout(name) {
        let kept = (fields.members ?? []).filter { Self.keptFields.contains($0.name) }
        fields = .object(kept + [.init("erased", .bool(true))])
        isChanged = true
        erasure.count += 1
      }
      guard isChanged else {
        previous = record.hash.bytes
        continue
      }
      let next = AuditRecord(sequence: sequence, fields: fields, after: previous)
      draft.replace(path, with: Node(.string(next.stored)))
      previous = next.hash.bytes
      if sequence == head.sequence { head.hash = next.hash.hex }
    }
    guard isChanged else { return erasure }
    let text = String(decoding: RecordWriter(head).json.text(), as: UTF8.self)
    draft.replace(AccountPath.auditHead, with: Node(.string(text)))
    return erasure
  }
}
