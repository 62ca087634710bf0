import HearthCrypto
import HearthTree

/// Verifies that no record of the audit trail was changed, removed or inserted. ``AccountTransaction/audit(_:)`` writes
/// the records.
///
/// An attacker with write access to the file can also write a whole new chain; an operator who stores an ``AuditHead``
/// elsewhere from time to time detects that, too.
public enum AuditTrailVerifier {
  /// The result of a verification.
  public enum Verdict: Sendable, Equatable {
    /// The records are intact from the first to the last. An empty trail is intact.
    case intact(records: Int, head: AuditHead?)
    /// The first record that was changed, with the error.
    case broken(sequence: Int64, reason: String)
  }

  /// Verifies the trail. Takes some microseconds a record; not for an event loop.
  ///
  /// - Parameters:
  ///   - sequence: the first record; the hash that is stored before it is then trusted. Nil begins with the oldest.
  ///   - anchor: a head that was noted earlier, compared with the record of its number, or with the hash before the
  ///     oldest record. It is ignored when its record is older still, or before `sequence`.
  public static func verify(
    _ view: AccountView, from sequence: Int64? = nil, anchor: AuditHead? = nil
  ) -> Verdict {
    let trail = view.records.root[AccountPath.audit]
    let headNode = view.records.root[AccountPath.auditHead]
    guard let head: AuditHead = view.records.record(headNode, at: AccountPath.auditHead) else {
      guard headNode.isEmpty, trail.isEmpty else {
        return .broken(sequence: lastSequence(trail), reason: "the head of the trail cannot be read")
      }
      return .intact(records: 0, head: nil)
    }
    if let anchor, anchor.sequence > head.sequence {
      return .broken(sequence: head.sequence + 1, reason: "it is missing")
    }
    if let anchor, anchor.sequence == head.firstSequence - 1, anchor.hash != head.previousHash {
      return .broken(sequence: head.firstSequence, reason: "it does not follow the anchor")
    }
    var chain = ChainCheck(
      expected: head.firstSequence, previous: Digest(hex: head.previousHash)?.bytes ?? [], anchor: anchor)
    if let sequence, sequence > head.firstSequence, sequence <= head.sequence {
      let before = trail.child(Key(AccountPath.hexadecimal(sequence - 1))).withStringUTF8 { AuditRecord(stored: $0) }
      guard let record = before ?? nil else {
        return .broken(sequence: sequence - 1, reason: "it is missing or cannot be read")
      }
      chain = ChainCheck(expected: sequence, previous: record.hash.bytes, anchor: anchor)
    }
    // From the very first key on, so that a record before the oldest one is found.
    let children = chain.expected == head.firstSequence ? trail.children : trail.children(from: chain.firstKey)
    for (key, node) in children {
      guard chain.expected <= head.sequence else { return .broken(sequence: chain.expected, reason: "it was added") }
      if let reason = chain.check(key, node) { return .broken(sequence: chain.expected, reason: reason) }
    }
    guard chain.expected > head.sequence else { return .broken(sequence: chain.expected, reason: "it is missing") }
    guard Digest.hexadecimal(chain.previous) == head.hash else {
      return .broken(sequence: head.sequence, reason: "the head of the trail has another hash")
    }
    return .intact(records: chain.count, head: head)
  }

  private static func lastSequence(_ trail: Node) -> Int64 {
    trail.childrenReversed.first { _ in true }.flatMap { Int64($0.key.text, radix: 16) } ?? 1
  }

  private struct ChainCheck {
    var expected: Int64
    var previous: [UInt8]
    let anchor: AuditHead?
    var count = 0

    init(expected: Int64, previous: [UInt8], anchor: AuditHead?) {
      self.expected = expected
      self.previous = previous
      self.anchor = anchor
    }

    var firstKey: Key { Key(AccountPath.hexadecimal(expected)) }

    /// Returns the error of the next record; nil when it is valid.
    mutating func check(_ key: Key, _ node: Node) -> String? {
      guard key == firstKey else { return key < firstKey ? "a record was inserted before it" : "it is missing" }
      guard let record = node.withStringUTF8({ AuditRecord(stored: $0) }) ?? nil else { return "it cannot be read" }
      guard record.sequence == expected else { return "its number is wrong" }
      guard record.hash == AuditRecord.hash(record.line, after: previous) else { return "it was changed" }
      if let anchor, anchor.sequence == expected, anchor.hash != record.hash.hex {
        return "it is not the record of the anchor"
      }
      previous = record.hash.bytes
      expected += 1
      count += 1
      return nil
    }
  }
}
