import HearthCrypto
import HearthPlugin
import HearthTestKit
import HearthTree
import Testing

@testable import HearthAccounts
@testable import HearthEngine

/// Tests of events about created and deleted accounts.
@Suite struct AccountEventTests {
  private let fixture = AccountsFixture()

  /// Returns the events of a change, one line for each account.
  private func told(
    _ store: AccountStore, _ body: @escaping @Sendable (inout AccountTransaction) throws(AccountError) -> Void
  ) async throws -> [String] {
    let old = store.database.published.root
    try await store.transact(body)
    let new = store.database.published.root
    let path = AccountPath.accountEvents
    let change = CommittedChange(
      position: 7, wallMilliseconds: 12, paths: old[path] == new[path] ? [] : [path], oldRoot: old, newRoot: new,
      principal: .administrator)
    let events = AccountEvent.events(of: change, damage: store.damage)
    #expect(events.allSatisfy { $0.position == 7 && $0.milliseconds == 12 })
    return events.map { "\($0.kind) \($0.uid) \($0.user.email ?? "-") \($0.user.displayName ?? "-")" }
  }

  @Test func `an event of an account has the record as created, or as it was before the deletion`() async throws {
    let (store, fixture) = (try fixture.store(), fixture)
    let made = try await told(store) { accounts throws(AccountError) in
      var user = try accounts.addNewUser(
        fixture.user("u1", email: "a@example.com"), by: "password", client: .commandLine)
      user.displayName = "Ann"
      try accounts.update(user)
    }
    #expect(made == ["created u1 a@example.com Ann"])
    let deletion: @Sendable (inout AccountTransaction) throws(AccountError) -> Void = { accounts in
      accounts.delete("u1")
      accounts.addEvent(.deleted, "u1")
    }
    #expect(try await told(store, deletion) == ["deleted u1 a@example.com Ann"])
    store.close()
  }

  @Test func `each change emits its own event, also when the values are equal`() async throws {
    let (store, fixture) = (try fixture.store(), fixture)
    for _ in 0..<2 {
      let made = try await told(store) { accounts throws(AccountError) in
        for uid in ["u1", "u2"] {
          _ = try accounts.addNewUser(fixture.user(uid), by: "anonymous", client: .commandLine)
        }
      }
      #expect(made == ["created u1 - -", "created u2 - -"])
      #expect(try await told(store) { accounts in for uid in ["u1", "u2"] { accounts.delete(uid) } } == [])
    }
    store.close()
  }

  @Test func `imports, custom tokens and refused changes emit no event`() async throws {
    let (store, fixture) = (try fixture.store(), fixture)
    let other = try await told(store) { accounts throws(AccountError) in
      try accounts.insert(fixture.user("imported"))
      _ = try accounts.addNewUser(fixture.user("custom"), by: ProviderID.custom, client: .commandLine)
    }
    #expect(other == [])
    await store.expect(.duplicateLocalID) { accounts throws(AccountError) in
      _ = try accounts.addNewUser(fixture.user("u1"), by: "password", client: .commandLine)
      _ = try accounts.addNewUser(fixture.user("custom"), by: "password", client: .commandLine)
    }
    #expect(try await told(store) { accounts in accounts.delete("imported") } == [])
    store.close()
  }

  @Test func `an event of a tenant's account names the tenant, and other accounts of the uid emit none`() async throws {
    let (project, fixture) = (try fixture.store(), fixture)
    for id in ["acme-1", "zebra-1"] {
      try await project.transact { accounts in accounts.putTenant(TenantRecord(id: id, createdAtMilliseconds: 1)) }
    }
    func told(
      _ store: AccountStore, _ body: @escaping @Sendable (inout AccountTransaction) throws(AccountError) -> Void
    ) async throws -> [String] {
      let old = project.database.published.root
      try await store.transact(body)
      let new = project.database.published.root
      let all =
        [AccountPath.accountEvents]
        + ["acme-1", "zebra-1"].map { AccountPath.tenant($0).appending(AccountPath.accountEvents) }
      let change = CommittedChange(
        position: 7, wallMilliseconds: 12, paths: all.filter { old[$0] != new[$0] }, oldRoot: old, newRoot: new,
        principal: .administrator)
      return AccountEvent.events(of: change, damage: project.damage).map {
        "\($0.kind) \($0.user.tenantID ?? "-") \($0.uid) \($0.user.email ?? "-")"
      }
    }
    for name in ["-", "acme-1", "zebra-1"] {
      let store = name == "-" ? project : AccountStore(ofTenant: name, in: project)
      let made = try await told(store) { accounts throws(AccountError) in
        _ = try accounts.addNewUser(
          fixture.user("u1", email: "a@\(name).example"), by: "password", client: .commandLine)
      }
      #expect(made == ["created \(name) u1 a@\(name).example"])
    }
    let deleted = try await told(AccountStore(ofTenant: "acme-1", in: project)) { accounts in
      accounts.delete("u1")
      accounts.addEvent(.deleted, "u1")
    }
    #expect(deleted == ["deleted acme-1 u1 a@acme-1.example"])
    // Also when the tenant's settings are unreadable.
    let unreadable = try await told(AccountStore(ofTenant: "acme-1", in: project)) { accounts in
      accounts.draft.replace(AccountPath.settings, with: Node(.string("{")))
      accounts.addEvent(.deleted, "u2")
    }
    #expect(unreadable == ["deleted acme-1 u2 -"])
    // A deleted tenant reports no events of its users.
    #expect(try await told(project) { accounts in accounts.deleteTenant("zebra-1") } == [])
    project.close()
  }

  @Test func `account events hold no credentials`() async throws {
    let (store, fixture) = (try fixture.store(), fixture)
    let user = fixture.user("u1", email: "a@example.com")
    try await store.transact { accounts throws(AccountError) in try accounts.insert(user) }
    let text = String(decoding: HookUser(user).functionJSON.text(), as: UTF8.self)
    for word in ["hash", "salt", "password\":", "secret", "token"] { #expect(!text.lowercased().contains(word)) }
    #expect(text.contains(#""metadata":{"creationTime":"2026-11-21T"#))
    store.close()
  }
}
