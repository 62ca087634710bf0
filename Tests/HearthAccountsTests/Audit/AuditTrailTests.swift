import HearthCrypto
import HearthTestKit
import HearthTree
import Testing

@testable import HearthAccounts

@Suite struct AuditTrailTests {
  private let fixture = AccountsFixture()

  /// Returns a store whose trail has this many records.
  private func store(records: Int, max: Int = 1_000) async throws -> AccountStore {
    var limits = AccountStoreLimits()
    limits.auditRecordsMax = max
    let store = try fixture.store(limits: limits)
    for i in 0..<records {
      try await store.transact { (accounts) throws(AccountError) in
        accounts.audit(AuditEvent(.signIn, uid: "u\(i)", client: fixture.client()))
      }
      fixture.advance(milliseconds: 7)
    }
    return store
  }

  /// Changes the accounts tree without updating the trail's hashes.
  private func tamper(_ store: AccountStore, _ body: @escaping @Sendable (inout AccountTransaction) -> Void)
    async throws
  {
    try await store.transact { (accounts) throws(AccountError) in body(&accounts) }
  }

  @Test("Security 64: a record has its time, event, actor, client address and request id")
  func fields() async throws {
    let store = try fixture.store()
    let client = ClientInfo(address: "2001:db8::1", userAgent: "App/1.0", requestID: "req-7")
    try await store.transact { (accounts) throws(AccountError) in
      accounts.audit(
        AuditEvent(.signInFailed, uid: "u1", email: "alice@example.com", client: client, detail: "wrong password"))
    }
    let line = try #require(store.view.audit(limit: 1).first).line
    #expect(
      String(decoding: line, as: UTF8.self) == """
        {"seq":1,"time":"2026-11-21T12:00:00.000Z","event":"sign_in_fail","project":"demo-test","uid":"u1",\
        "email":"a***@example.com","ip":"2001:db8::1","userAgent":"App/1.0","requestId":"req-7",\
        "detail":"wrong password"}
        """)
    store.close()
  }

  @Test("Security 64: what clients choose cannot begin a line, end a field or speak to a terminal")
  func injection() async throws {
    let store = try fixture.store()
    let evil = "x\r\n{\"seq\":9}\u{1B}[31m\u{202E}\u{2028}\u{85}\u{0}\"\\"
    let client = ClientInfo(address: evil, userAgent: evil + String(repeating: "A", count: 9_000), requestID: evil)
    try await store.transact { (accounts) throws(AccountError) in
      accounts.audit(AuditEvent(.signIn, uid: evil, email: "\(evil)@x", client: client, detail: evil))
    }
    let record = try #require(store.view.audit(limit: 1).first)
    #expect(record.line.allSatisfy { $0 >= 0x20 && $0 != 0x7F })
    #expect(record.line.count < 2_000)
    for name in ["uid", "email", "ip", "userAgent", "requestId", "detail"] {
      let text = try #require(record.fields[name]?.string)
      #expect(
        text.unicodeScalars.allSatisfy {
          ![.control, .format, .lineSeparator].contains($0.properties.generalCategory)
        })
    }
    #expect(record.fields["ip"]?.string?.hasPrefix(#"x\u{d}\u{a}{"seq":9}\u{1b}[31m\u{202e}\u{2028}"#) == true)
    #expect(AuditTrailVerifier.verify(store.view) == .intact(records: 1, head: store.view.auditHead))
    store.close()
  }

  @Test("an unmodified trail verifies, from the start and from any record on")
  func whole() async throws {
    let store = try await store(records: 20)
    let head = try #require(store.view.auditHead)
    #expect(head.sequence == 20 && head.firstSequence == 1)
    #expect(AuditTrailVerifier.verify(store.view) == .intact(records: 20, head: head))
    #expect(AuditTrailVerifier.verify(store.view, from: 15) == .intact(records: 6, head: head))
    #expect(AuditTrailVerifier.verify(store.view, from: 1) == .intact(records: 20, head: head))
    #expect(AuditTrailVerifier.verify(store.view, anchor: head) == .intact(records: 20, head: head))
    #expect(AuditTrailVerifier.verify(try fixture.store().view) == .intact(records: 0, head: nil))
    store.close()
  }

  @Test("a changed byte is found, with the record's number", arguments: [1, 7, 20] as [Int64])
  func changed(sequence: Int64) async throws {
    let store = try await store(records: 20)
    let stored = try #require(store.view.records.text(AccountPath.audit(sequence)))
    var bytes = Array(stored.utf8)
    for index in [0, 70, bytes.count - 3] {
      bytes = Array(stored.utf8)
      bytes[index] = bytes[index] == UInt8(ascii: "0") ? UInt8(ascii: "1") : UInt8(ascii: "0")
      try await tamper(store) { [bytes] in
        $0.draft.replace(AccountPath.audit(sequence), with: Node(.string(String(decoding: bytes, as: UTF8.self))))
      }
      guard case .broken(sequence, _) = AuditTrailVerifier.verify(store.view) else {
        Issue.record("byte \(index) of record \(sequence): \(AuditTrailVerifier.verify(store.view))")
        continue
      }
    }
    try await tamper(store) { $0.draft.replace(AccountPath.audit(sequence), with: Node(.string(stored))) }
    #expect(AuditTrailVerifier.verify(store.view) == .intact(records: 20, head: store.view.auditHead))
    store.close()
  }

  @Test("removed, inserted, moved and truncated records are found")
  func structure() async throws {
    typealias Change = @Sendable (inout AccountTransaction) -> Void
    let extra = AuditRecord(sequence: 21, fields: .object([.init("seq", .int(21))]), after: AuditRecord.origin)
    let changes: [(Int64, Change)] = [
      (5, { $0.draft.replace(AccountPath.audit(5), with: .empty) }),
      (1, { $0.draft.replace(AccountPath.audit(1), with: .empty) }),
      (20, { $0.draft.replace(AccountPath.audit(20), with: .empty) }),
      (21, { $0.draft.replace(AccountPath.audit(21), with: Node(.string(extra.stored))) }),
      (1, { $0.draft.replace(AccountPath.audit(0), with: Node(.string(extra.stored))) }),
      (6, { $0.draft.replace(AccountPath.audit(6), with: $0.draft.root[AccountPath.audit(7)]) }),
      (9, { $0.draft.replace(AccountPath.audit(9), with: Node(.bool(true))) }),
      (20, { $0.draft.replace(AccountPath.auditHead, with: .empty) }),
      (20, { $0.setHead { $0.hash = Digest.of("another").hex } }),
      (
        20,
        { accounts in
          // A last record with another number and matching hashes.
          let before = accounts.audit(from: 19, limit: 1).first?.hash.bytes ?? []
          let record = AuditRecord(sequence: 99, fields: .object([.init("seq", .int(99))]), after: before)
          accounts.draft.replace(AccountPath.audit(20), with: Node(.string(record.stored)))
          accounts.setHead { $0.hash = record.hash.hex }
        }
      ),
    ]
    for (number, (sequence, change)) in changes.enumerated() {
      let store = try await store(records: 20)
      try await tamper(store, change)
      guard case .broken(sequence, _) = AuditTrailVerifier.verify(store.view) else {
        Issue.record("change \(number): \(AuditTrailVerifier.verify(store.view))")
        continue
      }
      store.close()
    }
  }

  @Test("a replaced or truncated chain is found by comparison with a head that was noted earlier")
  func anchor() async throws {
    let store = try await store(records: 5)
    let noted = try #require(store.view.auditHead)
    let forged = try await self.store(records: 9)
    guard case .broken(5, _) = AuditTrailVerifier.verify(forged.view, anchor: noted) else {
      Issue.record("\(AuditTrailVerifier.verify(forged.view, anchor: noted))")
      return
    }
    let shorter = try await self.store(records: 3)
    guard case .broken(4, _) = AuditTrailVerifier.verify(shorter.view, anchor: noted) else {
      Issue.record("\(AuditTrailVerifier.verify(shorter.view, anchor: noted))")
      return
    }
    for store in [store, forged, shorter] { store.close() }
  }

  @Test("the oldest records are removed beyond the limit, and the rest stays verifiable from its anchor")
  func trimming() async throws {
    let store = try await store(records: 30, max: 10)
    let head = try #require(store.view.auditHead)
    #expect(head.firstSequence == 21 && head.sequence == 30)
    #expect(store.view.auditCount == 10)
    #expect(AuditTrailVerifier.verify(store.view) == .intact(records: 10, head: head))
    #expect(store.view.audit(limit: 3).map(\.sequence) == [21, 22, 23])
    #expect(store.view.audit(from: 28, limit: 99).map(\.sequence) == [28, 29, 30])
    #expect(store.view.auditTail(limit: 2).map(\.sequence) == [29, 30])
    var before = head
    (before.sequence, before.hash) = (20, Digest.of("another").hex)
    guard case .broken(21, _) = AuditTrailVerifier.verify(store.view, anchor: before) else {
      Issue.record("the record before the oldest is not compared")
      return
    }
    before.hash = head.previousHash
    #expect(AuditTrailVerifier.verify(store.view, anchor: before) == .intact(records: 10, head: head))
    store.close()
  }

  @Test("damage does not stop the trail, stays visible, and ends when the damaged record is removed")
  func damageIsBounded() async throws {
    let store = try await store(records: 10, max: 10)
    try await tamper(store) { $0.draft.replace(AccountPath.audit(5), with: Node(.string("no record"))) }
    for i in 1...12 {
      try await store.transact { (accounts) throws(AccountError) in
        accounts.audit(AuditEvent(.revoked, client: fixture.client()))
      }
      let verdict = AuditTrailVerifier.verify(store.view)
      if i <= 5 {
        guard case .broken(let sequence, _) = verdict, sequence == 5 || sequence == 6 else {
          Issue.record("after \(i): \(verdict)")
          continue
        }
      } else {
        #expect(verdict == .intact(records: 10, head: store.view.auditHead))
      }
    }
    #expect(store.view.auditCount == 10)
    #expect(fixture.notices.count == 1)
    try await tamper(store) { $0.draft.replace(AccountPath.auditHead, with: Node(.string("?"))) }
    try await store.transact { (accounts) throws(AccountError) in
      accounts.audit(AuditEvent(.revoked, client: fixture.client()))
    }
    #expect(store.view.auditHead?.sequence == 23)
    guard case .broken = AuditTrailVerifier.verify(store.view) else {
      Issue.record("a lost head leaves no trace")
      return
    }
    store.close()
  }

  @Test("an event and its change are in one commit: a failing disk stores neither")
  func atomicity() async throws {
    let journal = MemoryJournal()
    journal.failAppend(1, MemoryJournal.Fault(.failed))
    let store = try fixture.store(journal)
    await #expect(throws: AccountError(.unavailable)) {
      try await store.transact { (accounts) throws(AccountError) in
        try accounts.insert(fixture.user("u1"))
        accounts.audit(AuditEvent(.adminAPI, uid: "u1", client: fixture.client()))
      }
    }
    let again = try fixture.store(journal.crash())
    #expect(again.view.userCount == 0 && again.view.auditHead == nil)
    again.close()
  }
}

extension AccountTransaction {
  /// Changes the head without updating the trail.
  fileprivate mutating func setHead(_ change: (inout AuditHead) -> Void) {
    guard var head = auditHead else { return }
    change(&head)
    draft.replace(AccountPath.auditHead, with: text(of: head))
  }
}
