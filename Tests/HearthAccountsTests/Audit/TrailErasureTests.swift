import HearthTestKit
import HearthTree
import Testing

@testable import HearthAccounts

/// Tests of the erasure of a user from the audit trail.
@Suite struct TrailErasureTests {
  private let fixture = AccountsFixture()

  private func store(_ uids: [String]) async throws -> AccountStore {
    let store = try fixture.store()
    for uid in uids {
      try await store.transact { (accounts) throws(AccountError) in
        accounts.audit(
          AuditEvent(.signIn, uid: uid, email: "\(uid)@example.com", client: fixture.client(), detail: "d"))
      }
      fixture.advance(milliseconds: 7)
    }
    return store
  }

  private func erase(_ uid: String, _ store: AccountStore) async throws -> TrailErasure {
    try await store.transact { (accounts) throws(AccountError) in accounts.eraseFromTrail(uid) }
  }

  @Test func `records of the person keep number, time, event and project, others are as they were`() async throws {
    let store = try await store(["ann", "eve", "ann", "eve", "bob"])
    let before = store.view.audit(limit: 10)
    let erasure = try await erase("eve", store)
    #expect(erasure.count == 2 && erasure.formerHash == before.last?.hash.hex)
    let after = store.view.audit(limit: 10)
    #expect(after.count == 5 && after[0] == before[0])
    for (old, new) in zip(before, after) {
      guard old.fields["uid"]?.string == "eve" else {
        #expect(new.line == old.line)
        continue
      }
      #expect((new.fields.members ?? []).map(\.name) == ["seq", "time", "event", "project", "erased"])
      #expect(new.fields["time"] == old.fields["time"] && new.fields["erased"]?.bool == true)
    }
    #expect(after.map(\.hash) != before.map(\.hash))
    // The chain is valid, and continues.
    try await store.transact { (accounts) throws(AccountError) in
      accounts.audit(AuditEvent(.signIn, uid: "ann", client: fixture.client()))
    }
    var previous = AuditRecord.origin
    for record in store.view.audit(limit: 10) {
      #expect(AuditRecord.hash(record.line, after: previous) == record.hash, "record \(record.sequence)")
      previous = record.hash.bytes
    }
    store.close()
  }

  @Test func `erasing an account without records leaves the trail unchanged`() async throws {
    let store = try await store(["ann", "\u{e9}ve"])
    let before = store.view.audit(limit: 10)
    #expect(try await erase("eve", store).count == 0)
    // The second uid is canonically equivalent in Unicode, but a different uid.
    #expect(try await erase("e\u{301}ve", store).count == 0)
    #expect(store.view.audit(limit: 10) == before)
    store.close()
  }
}
