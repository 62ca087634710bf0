import Foundation
import HearthTree
import LiveServerKit
import ServerTestKit
import Synchronization
import Testing

@testable import HearthClient

/// Tests of successive users in one program, with data on disk and without.
@Suite struct UserChangeTests {
  /// Rules under which signed-in users may write, and every write states its author.
  private static let rules = """
    {"rules": {".read": true, "log": {"$id": {".write": "auth !== null"}}, "notes": {".write": true}}}
    """

  /// Runs `body` with an app, a separate client that reads, and an offline client with the user's credentials.
  private func with(
    isPersistent: Bool, _ body: (AuthFixture, _ ref: DatabaseReference, _ other: DatabaseReference) async throws -> Void
  ) async throws {
    let folder = try TemporaryFolder()
    try await AuthFixture.with(rules: Self.rules) { fixture in
      let options = FirebaseOptions()
      options.storageDirectory = URL(fileURLWithPath: folder.path)
      let database = Database.database(
        app: AuthFixture.app(options), url: fixture.route.address + "/?ns=default", credentials: fixture.auth)
      database.configureConnections { DatabaseFixture.configure(&$0, over: .plain) }
      database.callbackQueue = DispatchQueue(label: "test")
      database.isPersistenceEnabled = isPersistent
      let other = fixture.database(FixedCredential(nil))
      defer { other.shutDown() }
      do { try await body(fixture, database.reference(), other.reference()) } catch {
        await database.close()
        throw error
      }
      await database.close()
    }
  }

  @Test(
    "a user's pending writes wait on disk or are dropped, and are never sent as another user",
    arguments: [true, false])
  func waitingWrites(isPersistent: Bool) async throws {
    try await with(isPersistent: isPersistent) { fixture, ref, other in
      let lines = Lines()
      try await fixture.auth.signIn(withCustomToken: "uid:ada")
      _ = try await ref.child("log").getData()
      ref.database.goOffline()
      plainly {
        ref.child("log/a").setValue("ada") { error, _ in lines.add((error as? DatabaseError)?.status ?? "ok") }
        ref.child("log/b").onDisconnectSetValue("ada") { error, _ in
          lines.add("later " + ((error as? DatabaseError)?.status ?? "ok"))
        }
      }
      try await fixture.auth.signIn(withCustomToken: "uid:bob")
      // A write made right after the sign-in belongs to bob.
      plainly { ref.child("log/c").setValue("bob") { error, _ in lines.add("bob \(error == nil)") } }
      ref.database.goOnline()
      #expect(await lines.wait(for: 3) == ["user_changed", "later user_changed", "bob true"])
      #expect(try await json(other.child("log").getData()) == #"{"c":"bob"}"#)
      try await fixture.auth.signIn(withCustomToken: "uid:ada")
      try await ref.child("log/d").setValue("ada")
      // One connection preserves the order: the queued writes were sent before.
      #expect(
        try await json(other.child("log").getData())
          == (isPersistent ? #"{"a":"ada","c":"bob","d":"ada"}"# : #"{"c":"bob","d":"ada"}"#))
    }
  }

  @Test("writes sent before a change of users are made once, as the user who made them", arguments: [true, false])
  func sentWrites(isPersistent: Bool) async throws {
    try await with(isPersistent: isPersistent) { fixture, ref, other in
      let lines = Lines()
      try await fixture.auth.signIn(withCustomToken: "uid:ada")
      _ = try await ref.child("log").getData()
      for round in 1...3 {
        plainly {
          ref.child("log/n").setValue(ServerValue.increment(1)) { error, _ in lines.add("\(round) \(error == nil)") }
        }
        try await fixture.auth.signIn(withCustomToken: round % 2 == 1 ? "uid:bob" : "uid:ada")
      }
      #expect(await lines.wait(for: 3) == ["1 true", "2 true", "3 true"])
      try await ref.child("log/last").setValue(1)
      #expect(try await json(other.child("log").getData()) == #"{"last":1,"n":3}"#)
    }
  }

  @Test("a user sees no persisted data of another user, and the user's own again after returning")
  func separateCaches() async throws {
    try await with(isPersistent: true) { fixture, ref, _ in
      try await fixture.auth.signIn(withCustomToken: "uid:ada")
      try await ref.child("notes").setValue("of ada")
      _ = try await ref.child("notes").singleEvent(of: .value)
      ref.database.goOffline()
      try await fixture.auth.signIn(withCustomToken: "uid:bob")
      let lines = Lines()
      ref.child("notes").observe(.value) { lines.add(json($0)) }
      // The answer to this request follows the answers to all earlier ones.
      _ = try await ref.child(".info/connected").singleEvent(of: .value)
      #expect(lines.all == [])
      ref.child("notes").removeAllObservers()
      try await fixture.auth.signIn(withCustomToken: "uid:ada")
      #expect(try await json(ref.child("notes").singleEvent(of: .value).snapshot) == #""of ada""#)
    }
  }

  @Test(
    "a token that is refreshed during a live connection is sent over it, and the connection stays",
    arguments: NetworkCondition.reliable
  )
  func refresh(over network: NetworkCondition) async throws {
    try await AuthFixture.with(over: network) { fixture in
      let user = try await fixture.auth.createUser(withEmail: "ada@example.com", password: "secret1").user
      let first = user.tokens.idToken
      // Another client changes the account's name, so that the next token differs.
      let elsewhere = try fixture.another()
      let change = try await elsewhere.signIn(withEmail: "ada@example.com", password: "secret1").user
        .createProfileChangeRequest()
      change.displayName = "Ada"
      try await change.commitChanges()
      try elsewhere.signOut()
      let fetched = fixture.transport.count("token")
      let reports = ReportingProvider(fixture.auth)
      let database = fixture.database(reports)
      defer { database.shutDown() }
      let lines = Lines()
      database.reference(withPath: ".info/connected").observe(.value) { lines.add(json($0)) }
      #expect(await lines.wait(for: 2) == ["false", "true"])
      try await database.reference(withPath: "a").setValue(1)
      #expect(reports.accepted == [first])
      // Five minutes before it expires.
      try await AuthFixture.until { fixture.clock.wakes == [user.tokens.refreshAt] }
      fixture.clock.advance(seconds: 3_300)
      try await AuthFixture.until { reports.accepted.count == 2 }
      #expect(fixture.transport.count("token") == fetched + 1)
      #expect(user.tokens.idToken != first && reports.accepted == [first, user.tokens.idToken])
      try await database.reference(withPath: "a").setValue(2)
      #expect(lines.all == ["false", "true"])
    }
  }
}

/// A provider of another provider's credentials, which records the tokens that the server accepted.
private final class ReportingProvider: CredentialProvider {
  private let base: any CredentialProvider
  private let tokens = Mutex<[String]>([])

  init(_ base: any CredentialProvider) { self.base = base }

  var accepted: [String] { tokens.withLock { $0 } }
  var currentUserID: String? { base.currentUserID }

  func credential(
    forcingRefresh: Bool, completion: @escaping @Sendable (Result<DatabaseCredential?, any Error>) -> Void
  ) { base.credential(forcingRefresh: forcingRefresh, completion: completion) }

  func addCredentialListener(_ listener: @escaping @Sendable (DatabaseCredential?) -> Void) -> Int {
    base.addCredentialListener(listener)
  }

  func removeCredentialListener(_ handle: Int) { base.removeCredentialListener(handle) }

  func connectionReported(_ report: CredentialReport) {
    if case .accepted(let credential, _, _) = report { tokens.withLock { $0.append(credential.token) } }
    base.connectionReported(report)
  }
}
