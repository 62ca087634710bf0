import HearthCrypto
import Synchronization
import Testing

@testable import HearthConsole

/// Tests of sessions that are restored in another process, at times that the tests set.
@Suite struct ConsoleSessionRecordTests {
  private static let authority = "127.0.0.1:9000"
  private static let credential = Digest(sha256: "operator".utf8)
  /// The wall clock at the monotonic time 0 of the first process.
  private static let start: Int64 = 1_700_000_000_000
  private static let minute: Int64 = 60_000

  /// Restores the sessions of `access`, by way of their text, in a process whose monotonic clock began at 5,000.
  ///
  /// - Parameters:
  ///   - stopped: the monotonic time of the first process's last write.
  ///   - pause: the time until the second process's start, on the wall clock.
  private static func restarted(
    _ access: ConsoleAccess, stopped: Int64, pause: Int64 = 1_000, credential: Digest = credential,
    limits: ConsoleLimits = .standard, isVouchedFor: (ConsoleUser) -> Bool = { _ in true }
  ) throws -> ConsoleAccess {
    let list = access.records(operatorCredential: Self.credential, wallNow: start + stopped, now: stopped)
    let read = try #require(ConsoleSessionList(text: list.text))
    #expect(read == list)
    let next = ConsoleAccess(limits: limits)
    next.restore(
      read, operatorCredential: credential, wallNow: start + stopped + pause, now: 5_000, isVouchedFor: isVouchedFor)
    return next
  }

  private static func find(_ access: ConsoleAccess, _ secrets: ConsoleSecrets, now: Int64 = 5_000) -> ConsoleSession? {
    access.session(cookie: secrets.cookie, token: secrets.token, at: authority, now: now, isUse: false)
  }

  @Test("a session continues after a restart, with its number, role and remaining times")
  func continues() throws {
    let access = ConsoleAccess()
    let (session, secrets) = try access.open(.viewer, name: "kim", at: Self.authority, now: 0)
    let next = try Self.restarted(access, stopped: 4 * Self.minute, pause: Self.minute)
    let found = try #require(Self.find(next, secrets))
    #expect(found.id == session.id && found.role == .viewer && found.name == "kim" && found.uid == nil)
    #expect(found.endsInSeconds == 43_200 - 300 && found.idleSeconds == 1_800 - 300)
    let (second, _) = try next.open(.viewer, name: "kim", at: Self.authority, now: 6_000)
    #expect(second.id == session.id + 1, "no number is given twice")
    #expect(next.session(cookie: secrets.cookie, token: secrets.token, at: "other:1", now: 6_000, isUse: true) == nil)
  }

  @Test("the time of a restart counts as idle, and as life of the session")
  func times() throws {
    let access = ConsoleAccess()
    let (_, secrets) = try access.open(.viewer, name: "kim", at: Self.authority, now: 0)
    #expect(Self.find(try Self.restarted(access, stopped: 0, pause: 30 * Self.minute), secrets) == nil)
    #expect(Self.find(try Self.restarted(access, stopped: 0, pause: 30 * Self.minute - 1), secrets) != nil)
    let step: Int64 = 20 * Self.minute
    for now in stride(from: step, to: 43_200_000, by: Int(step)) {
      _ = access.session(cookie: secrets.cookie, token: secrets.token, at: Self.authority, now: now, isUse: true)
    }
    let last = 43_200_000 - step
    #expect(Self.find(try Self.restarted(access, stopped: last, pause: step - 1), secrets)?.endsInSeconds == 0)
    #expect(Self.find(try Self.restarted(access, stopped: last, pause: step), secrets) == nil)
  }

  @Test("a session from the future is not restored: the clock was set back")
  func clockSetBack() throws {
    let access = ConsoleAccess()
    let (_, secrets) = try access.open(.viewer, name: "kim", at: Self.authority, now: 0)
    #expect(Self.find(try Self.restarted(access, stopped: 0, pause: -1), secrets) == nil)
    var list = access.records(operatorCredential: Self.credential, wallNow: Self.start, now: 0)
    list.sessions[0].endsAt += 1
    let next = ConsoleAccess()
    next.restore(list, operatorCredential: Self.credential, wallNow: Self.start, now: 0)
    #expect(Self.find(next, secrets, now: 0) == nil, "no session is longer than the limit")
  }

  @Test("presence lasts no longer for a restart")
  func presence() throws {
    let access = ConsoleAccess()
    let (_, secrets) = try access.open(.administrator, name: "kim", at: Self.authority, now: 0)
    let early = try Self.restarted(access, stopped: 0, pause: 15 * Self.minute - 1)
    #expect(Self.find(early, secrets)?.isPresent == true)
    #expect(Self.find(early, secrets, now: 5_001)?.isPresent == false)
    #expect(Self.find(try Self.restarted(access, stopped: 0, pause: 15 * Self.minute), secrets)?.isPresent == false)
  }

  @Test("a session that has ended does not come back")
  func ended() throws {
    let access = ConsoleAccess()
    let (first, firstSecrets) = try access.open(.viewer, name: "kim", at: Self.authority, now: 0)
    let (_, userSecrets) = try access.open(
      .viewer, name: "mira", user: ConsoleUser(uid: "mira", generation: 3), at: Self.authority, now: 0)
    let (_, kept) = try access.open(.viewer, name: "kim", at: Self.authority, now: 0)
    access.end(first.id)
    access.end(ofUser: "mira")
    let next = try Self.restarted(access, stopped: 1)
    #expect(Self.find(next, firstSecrets) == nil && Self.find(next, userSecrets) == nil)
    #expect(Self.find(next, kept) != nil)
  }

  @Test("sessions of links end with the operator's credential, those of users with theirs")
  func credentials() throws {
    let access = ConsoleAccess()
    let (_, link) = try access.open(.viewer, name: "kim", at: Self.authority, now: 0)
    let mira = ConsoleUser(uid: "mira", generation: 3, keyID: "k")
    let (_, user) = try access.open(.viewer, name: "mira", user: mira, at: Self.authority, now: 0)
    let rotated = try Self.restarted(access, stopped: 1, credential: Digest(sha256: "another".utf8))
    #expect(Self.find(rotated, link) == nil)
    #expect(Self.find(rotated, user)?.user == mira)
    let unsigned = try Self.restarted(access, stopped: 1) { $0.keyID != "k" }
    #expect(Self.find(unsigned, link) != nil && Self.find(unsigned, user) == nil)
    let next = try Self.restarted(access, stopped: 1)
    next.endLapsed { user, _ in user.generation != 4 }
    #expect(Self.find(next, user) == nil, "its generation is an earlier one")
  }

  @Test("restored sessions count against the limits; those used last stay")
  func limits() throws {
    let access = ConsoleAccess()
    let secrets = try (0..<4).map {
      try access.open(.viewer, name: $0 < 3 ? "kim" : "mira", at: Self.authority, now: Int64($0)).secrets
    }
    var limits = ConsoleLimits.standard
    limits.sessionsPerPersonMax = 2
    let next = try Self.restarted(access, stopped: 10, limits: limits)
    #expect(secrets.map { Self.find(next, $0) != nil } == [false, true, true, true])
    _ = try next.open(.viewer, name: "kim", at: Self.authority, now: 5_001)
    #expect(secrets.map { Self.find(next, $0, now: 5_002) != nil } == [false, false, true, true])
    limits.sessionsMax = 1
    let small = try Self.restarted(access, stopped: 10, limits: limits)
    #expect(secrets.map { Self.find(small, $0) != nil } == [false, false, false, true])
  }

  @Test("the text has hashes alone, and none of them opens a session")
  func stolen() throws {
    let access = ConsoleAccess()
    let (session, secrets) = try access.open(.administrator, name: "kim", at: Self.authority, now: 0)
    let made = try #require(try access.makeCredential(of: session.id, for: "default", now: 0))
    let key = try access.makeKey(.administrator, name: "kim", now: 0)
    let list = access.records(operatorCredential: Self.credential, wallNow: Self.start, now: 0)
    let text = String(decoding: list.text, as: UTF8.self)
    for secret in [secrets.cookie, secrets.token, made.text, key] { #expect(!text.contains(secret)) }
    let next = try Self.restarted(access, stopped: 1)
    let record = try #require(list.sessions.first)
    for cookie in [record.cookie.hex, secrets.cookie] {
      for token in [record.token.hex, record.cookie.hex, secrets.token]
      where cookie != secrets.cookie || token != secrets.token {
        #expect(
          next.session(cookie: cookie, token: token, at: Self.authority, now: 5_000, isUse: false) == nil)
      }
    }
    #expect(next.credential(made.text, now: 5_000) == nil, "credentials are in memory alone")
    #expect(next.redeem(key, now: 5_000) == nil, "links are in memory alone")
  }

  @Test(
    "a text that is no list of this format is not read",
    arguments: ["", "{}", "[]", "null", "{\"version\":2}", "\u{0}", "{\"version\":1,\"operator\":\"00\"}"])
  func notRead(text: String) { #expect(ConsoleSessionList(text: Array(text.utf8)) == nil) }

  @Test("a list with one damaged session is not read", arguments: ["id", "role", "cookie", "endsAt", "generation"])
  func damaged(name: String) throws {
    let access = ConsoleAccess()
    _ = try access.open(
      .viewer, name: "kim", user: ConsoleUser(uid: "kim", generation: 1), at: Self.authority, now: 0)
    let list = access.records(operatorCredential: Self.credential, wallNow: Self.start, now: 0)
    #expect(ConsoleSessionList(text: list.text) != nil)
    let text = String(decoding: list.text, as: UTF8.self).replacing("\"\(name)\"", with: "\"x\"")
    #expect(ConsoleSessionList(text: Array(text.utf8)) == nil)
  }

  @Test("changes are reported: an opened and an ended session, presence and a use")
  func changes() throws {
    let access = ConsoleAccess()
    let changes = ChangeRecorder()
    access.whenChanged { changes.add($0) }
    let (session, secrets) = try access.open(.viewer, name: "kim", at: Self.authority, now: 0)
    #expect(changes.taken == [.sessions])
    _ = Self.find(access, secrets, now: 1)
    #expect(changes.taken.isEmpty, "a look is no use")
    _ = access.session(cookie: secrets.cookie, token: secrets.token, at: Self.authority, now: 1, isUse: true)
    #expect(changes.taken == [.use])
    access.recordPresence(in: session.id, now: 2)
    #expect(changes.taken == [.sessions])
    access.end(session.id)
    #expect(changes.taken == [.sessions])
    access.end(session.id)
    #expect(changes.taken.isEmpty)
  }
}

/// The changes that an access control reported.
private final class ChangeRecorder: Sendable {
  private let changes = Mutex<[ConsoleAccess.Change]>([])

  /// The changes since the last call.
  var taken: [ConsoleAccess.Change] {
    changes.withLock { changes in
      defer { changes = [] }
      return changes
    }
  }

  func add(_ change: ConsoleAccess.Change) { changes.withLock { $0.append(change) } }
}
