import Foundation
import HearthCrypto
import HearthJournal
import HearthSQLite
import HearthTestKit
import HearthTree
import RandomTestKit
import Testing

@testable import HearthAccounts

/// Tests of the accounts after a crash: all acknowledged transactions are there, and none in part.
@Suite struct AccountCrashTests {
  private let fixture = AccountsFixture()

  /// Makes the changes of one request.
  private static func signUp(_ i: Int, _ fixture: AccountsFixture, _ accounts: inout AccountTransaction)
    throws(AccountError)
  {
    var user = fixture.user("u\(i)", email: "m\(i)@example.com")
    user.identities = [ProviderIdentity(providerID: "x", rawID: "\(i)")]
    try accounts.insert(user)
    accounts.putSession(.of("s\(i)"), fixture.session("u\(i)"))
    accounts.putTicket(.of("t\(i)"), fixture.ticket(.verifyEmail, uid: "u\(i)", email: "m\(i)@example.com"))
    accounts.audit(AuditEvent(.signUp, uid: "u\(i)", email: "m\(i)@example.com", client: fixture.client()))
    if i % 5 == 4 {
      accounts.delete("u\(i - 2)")
      accounts.audit(AuditEvent(.userDeleted, uid: "u\(i - 2)", client: fixture.client()))
    }
  }

  @Test("a file that is cut anywhere opens with the accounts after a whole number of transactions")
  func cutFile() async throws {
    let folder = try Folder()
    let store = try AccountStore(
      journals: SingleJournalFactory(try SQLiteJournal(path: folder.file("main"))), environment: fixture.environment,
      projectID: "p"
    )
    var states = [store.view.records.root]
    var sizes: [Int] = []
    for i in 0..<12 {
      sizes.append(try folder.bytes("main-wal").count)
      try await store.transact { (accounts) throws(AccountError) in try Self.signUp(i, fixture, &accounts) }
      states.append(store.view.records.root)
    }
    let (file, log) = (try folder.bytes("main"), try folder.bytes("main-wal"))
    var random = SeededRandom(seed: 11)
    let cuts = sizes + (0..<40).map { _ in sizes[0] + random.below(log.count - sizes[0]) } + [log.count]
    for cut in cuts {
      try folder.write(file, "copy")
      try folder.write(Array(log[..<cut]), "copy-wal")
      // The cut-off part was never acknowledged, and no marker says otherwise.
      try? FileManager.default.removeItem(atPath: folder.file("copy.mark"))
      let copy = try AccountStore(
        journals: SingleJournalFactory(try SQLiteJournal(path: folder.file("copy"))), environment: fixture.environment,
        projectID: "p")
      // The transactions that end before the cut.
      let count = sizes.dropFirst().count { $0 <= cut } + (cut == log.count ? 1 : 0)
      #expect(copy.view.records.root == states[count], "cut at \(cut)")
      #expect(copy.view.problems() == [], "cut at \(cut)")
      copy.close()
    }
    store.close()
  }

  @Test("a second process cannot open the accounts, and the next one reads the changes")
  func reopen() async throws {
    let folder = try Folder()
    let store = try AccountStore(
      journals: SingleJournalFactory(try SQLiteJournal(path: folder.file("main"))), environment: fixture.environment)
    #expect(throws: JournalError(.inUse, "")) {
      try AccountStore(
        journals: SingleJournalFactory(try SQLiteJournal(path: folder.file("main"))), environment: fixture.environment)
    }
    try await store.transact { (accounts) throws(AccountError) in try Self.signUp(0, fixture, &accounts) }
    let root = store.view.records.root
    store.close()
    let again = try AccountStore(
      journals: SingleJournalFactory(try SQLiteJournal(path: folder.file("main"))), environment: fixture.environment)
    #expect(again.view.records.root == root)
    #expect(again.recovery.replayedCommitCount == 1)
    again.close()
  }

  @Test(
    "changes acknowledged before a disk failure are there after the restart",
    arguments: [true, false])
  func unknownOutcome(isWritten: Bool) async throws {
    let journal = MemoryJournal()
    journal.failAppend(4, MemoryJournal.Fault(.inputOutput, isWritten: isWritten))
    let store = try fixture.store(journal)
    let fixture = fixture
    var acknowledged: [Int] = []
    for i in 0..<8 {
      do throws(AccountError) {
        try await store.transact { (accounts) throws(AccountError) in try Self.signUp(i, fixture, &accounts) }
        acknowledged.append(i)
      } catch {
        #expect(error.code == (i == 3 ? .outcomeUnknown : .unavailable))
      }
    }
    #expect(acknowledged == [0, 1, 2])
    let again = try fixture.store(journal.crash())
    #expect(again.view.userCount == (isWritten ? 4 : 3))
    #expect(acknowledged.allSatisfy { again.view.user(email: "m\($0)@example.com") != nil })
    #expect(again.view.problems() == [])
    again.close()
  }

  @Test("a snapshot and the log after it restore the same accounts")
  func snapshot() async throws {
    let folder = try Folder()
    let store = try AccountStore(
      journals: SingleJournalFactory(try SQLiteJournal(path: folder.file("main"))), environment: fixture.environment)
    let fixture = fixture
    // More than the interval between snapshots.
    for batch in 0..<6 {
      try await store.transact { (accounts) throws(AccountError) in
        for i in 0..<1_000 {
          var user = fixture.user("u\(batch)-\(i)", email: "m\(batch)-\(i)@example.com")
          user.displayName = String(repeating: "x", count: 3_000)
          try accounts.insert(user)
        }
      }
    }
    // Written while transactions continue.
    try await Polling.until { fixture.notices.contains { $0.text.contains("snapshot") } }
    try await store.transact { (accounts) throws(AccountError) in try Self.signUp(0, fixture, &accounts) }
    let root = store.view.records.root
    store.close()
    let again = try AccountStore(
      journals: SingleJournalFactory(try SQLiteJournal(path: folder.file("main"))), environment: fixture.environment)
    #expect(again.recovery.snapshotPosition != nil)
    #expect(again.view.records.root == root)
    #expect(again.view.userCount == 6_001)
    again.close()
  }
}

/// A temporary folder that is removed at the end of the test.
private final class Folder {
  let path: String

  init() throws {
    let parent = FileManager.default.isWritableFile(atPath: "/dev/shm") ? "/dev/shm" : NSTemporaryDirectory()
    path = parent + "/hearth-accounts-\(UUID().uuidString)"
    try FileManager.default.createDirectory(atPath: path, withIntermediateDirectories: false)
  }

  deinit { try? FileManager.default.removeItem(atPath: path) }

  func file(_ name: String) -> String { path + "/" + name }

  func bytes(_ name: String) throws -> [UInt8] { [UInt8](try Data(contentsOf: URL(fileURLWithPath: file(name)))) }

  func write(_ bytes: [UInt8], _ name: String) throws {
    try Data(bytes).write(to: URL(fileURLWithPath: file(name)))
  }
}
