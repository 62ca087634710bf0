import HearthCrypto
import HearthTree

extension AccountTransaction {
  /// Adds a record to the audit trail, in the same commit as the change itself: both become durable or neither.
  ///
  /// An event that its user repeats too often is not recorded: see ``AuditRates``.
  public mutating func audit(_ event: AuditEvent) {
    guard rates.admits(event, countMax: limits.repeatedRecordsPerHour, now: now) else { return }
    let last = lastOfTrail()
    let sequence = last.map { $0.sequence + 1 } ?? 1
    let record = AuditRecord(
      sequence: sequence, fields: fields(of: event, sequence), after: last?.hash ?? AuditRecord.origin)
    var head =
      last?.head
      ?? AuditHead(
        firstSequence: sequence, previousHash: Digest.hexadecimal(last?.hash ?? AuditRecord.origin), sequence: 0,
        hash: "")
    head.sequence = sequence
    head.hash = record.hash.hex
    audited.append(record)
    draft.replace(AccountPath.audit(sequence), with: Node(.string(record.stored)))
    trim(&head)
    let text = String(decoding: RecordWriter(head).json.text(), as: UTF8.self)
    draft.replace(AccountPath.auditHead, with: Node(.string(text)))
  }

  /// Returns the number and hash of the record that the next one follows, as the trail's head states them. When the head
  /// cannot be read, they are those of the last stored record, and verifying the trail finds the break.
  private func lastOfTrail() -> (sequence: Int64, hash: [UInt8], head: AuditHead?)? {
    if let head = auditHead, let hash = Digest(hex: head.hash) { return (head.sequence, hash.bytes, head) }
    guard let (key, node) = draft.root[AccountPath.audit].childrenReversed.first(where: { _ in true }) else {
      return nil
    }
    let record = node.withStringUTF8 { AuditRecord(stored: $0) } ?? nil
    let sequence = record?.sequence ?? Int64(key.text, radix: 16) ?? 0
    return (min(sequence, .max - 1), record?.hash.bytes ?? AuditRecord.origin, nil)
  }

  /// Drops the oldest records beyond the limit, a few at a time.
  private mutating func trim(_ head: inout AuditHead) {
    for _ in 0..<limits.sweepStepRecords {
      guard head.sequence - head.firstSequence >= max(1, limits.auditRecordsMax) else { return }
      let path = AccountPath.audit(head.firstSequence)
      let record = draft.root[path].withStringUTF8 { AuditRecord(stored: $0) } ?? nil
      if record == nil { damage.add(path, "it is not an audit record") }
      draft.replace(path, with: .empty)
      // The hash of an unreadable record is not known: verifying finds a break until the next record is dropped, too.
      head.previousHash = record?.hash.hex ?? Digest.hexadecimal(AuditRecord.origin)
      head.firstSequence += 1
    }
  }

  private func fields(of event: AuditEvent, _ sequence: Int64) -> JSON {
    var writer = RecordWriter()
    writer.set("seq", sequence)
    writer.set("time", Timestamp.text(milliseconds: now.wallMilliseconds))
    writer.set("event", event.kind.rawValue)
    writer.set("project", projectID.map { AuditText.clean($0, sizeBytesMax: 128) })
    writer.set("uid", event.uid.map(AuditRecord.name))
    writer.set("email", event.email.map { AuditText.clean(AuditText.masked($0), sizeBytesMax: 256) })
    if !event.clientAddress.isEmpty { writer.set("ip", AuditText.clean(event.clientAddress, sizeBytesMax: 64)) }
    if !event.userAgent.isEmpty { writer.set("userAgent", AuditText.clean(event.userAgent, sizeBytesMax: 256)) }
    if !event.requestID.isEmpty { writer.set("requestId", AuditText.clean(event.requestID, sizeBytesMax: 128)) }
    writer.set("detail", event.detail.map { AuditText.clean($0, sizeBytesMax: 512) })
    return writer.json
  }
}
