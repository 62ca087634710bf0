import HearthCrypto
import Synchronization
import Testing

@testable import HearthConsole

/// Tests of sign-in links, sessions and credentials, on a simulated clock.
@Suite struct ConsoleAccessTests {
  private static let authority = "127.0.0.1:9000"

  private static func open(
    _ access: ConsoleAccess, _ role: ConsoleRole = .administrator, uid: String? = nil, now: Int64 = 0
  ) throws -> (session: ConsoleSession, secrets: ConsoleSecrets) {
    try access.open(role, name: "kim", uid: uid, at: authority, now: now)
  }

  private static func find(
    _ access: ConsoleAccess, _ secrets: ConsoleSecrets, at authority: String = authority, now: Int64, isUse: Bool = true
  ) -> ConsoleSession? {
    access.session(cookie: secrets.cookie, token: secrets.token, at: authority, now: now, isUse: isUse)
  }

  // MARK: Links

  @Test("a key opens one session, with the role it was made for")
  func once() throws {
    let access = ConsoleAccess()
    let key = try access.makeKey(.viewer, name: "kim", now: 0)
    #expect(key.utf8.count == 43, "32 bytes of chance")
    let found = try #require(access.redeem(key, now: 1))
    #expect(found.role == .viewer && found.name == "kim")
    #expect(access.redeem(key, now: 2) == nil)
  }

  @Test("a key is valid for ten minutes", arguments: [(599_999, true), (600_000, false)] as [(Int64, Bool)])
  func keyTime(now: Int64, isGood: Bool) throws {
    let access = ConsoleAccess()
    let key = try access.makeKey(.viewer, name: "kim", now: 0)
    #expect((access.redeem(key, now: now) != nil) == isGood)
  }

  @Test("an unknown key opens no session", arguments: ["", "x", String(repeating: "a", count: 43), "\u{0}"])
  func noKey(shown: String) throws {
    let access = ConsoleAccess()
    let key = try access.makeKey(.administrator, name: "kim", now: 0)
    #expect(access.redeem(shown, now: 1) == nil)
    #expect(access.redeem(key + "=", now: 1) == nil)
    #expect(access.redeem(String(key.dropLast()), now: 1) == nil)
    #expect(access.redeem(key, now: 1) != nil, "a wrong key uses up nothing")
  }

  @Test("the oldest of too many keys is dropped")
  func manyKeys() throws {
    var limits = ConsoleLimits.standard
    limits.keysMax = 2
    let access = ConsoleAccess(limits: limits)
    let keys = try (0..<3).map { try access.makeKey(.viewer, name: "\($0)", now: Int64($0)) }
    #expect(access.redeem(keys[0], now: 5) == nil)
    #expect(access.redeem(keys[1], now: 5)?.name == "1")
    #expect(access.redeem(keys[2], now: 5)?.name == "2")
  }

  // MARK: Sessions

  @Test("neither half of a session is valid alone, nor with another session's half")
  func halves() throws {
    let access = ConsoleAccess()
    let (session, own) = try Self.open(access)
    let (_, other) = try Self.open(access)
    #expect(Self.find(access, own, now: 1)?.id == session.id)
    for (cookie, token) in [
      (own.cookie, ""), ("", own.token), (own.cookie, own.cookie), (own.token, own.token), (own.token, own.cookie),
      (own.cookie, other.token), (other.cookie, own.token), (own.cookie, own.token + " "),
      (own.cookie, String(repeating: "a", count: 1_000)),
    ] {
      #expect(access.session(cookie: cookie, token: token, at: Self.authority, now: 1, isUse: true) == nil)
    }
  }

  @Test("a session is valid only at the address at which it was opened")
  func place() throws {
    let access = ConsoleAccess()
    let (_, secrets) = try access.open(.viewer, name: "kim", at: "LOCALHOST:9000", now: 0)
    #expect(Self.find(access, secrets, at: "localhost:9000", now: 1) != nil)
    #expect(Self.find(access, secrets, at: "localhost:9001", now: 1) == nil)
    #expect(Self.find(access, secrets, at: "127.0.0.1:9000", now: 1) == nil)
  }

  @Test("half an hour without use ends a session; checking it is no use")
  func idle() throws {
    let access = ConsoleAccess()
    let (_, secrets) = try Self.open(access)
    let minute: Int64 = 60_000
    #expect(Self.find(access, secrets, now: 29 * minute)?.idleSeconds == 1_800)
    #expect(Self.find(access, secrets, now: 58 * minute, isUse: false)?.idleSeconds == 60)
    #expect(Self.find(access, secrets, now: 59 * minute) == nil)
    #expect(Self.find(access, secrets, now: 58 * minute) == nil, "it is over")
  }

  @Test("twelve hours end a session, however it is used")
  func absolute() throws {
    let access = ConsoleAccess()
    let (_, secrets) = try Self.open(access)
    let step: Int64 = 1_200_000
    for now in stride(from: step, to: 43_200_000, by: Int(step)) {
      let session = try #require(Self.find(access, secrets, now: Int64(now)))
      #expect(session.endsInSeconds == 43_200 - Int64(now) / 1_000)
      #expect(session.idleSeconds == min(1_800, session.endsInSeconds))
    }
    #expect(Self.find(access, secrets, now: 43_200_000) == nil)
  }

  @Test("the least recently used of too many sessions ends, and its end is reported")
  func manySessions() throws {
    var limits = ConsoleLimits.standard
    limits.sessionsMax = 2
    let access = ConsoleAccess(limits: limits)
    let ended = Mutex<[UInt64]>([])
    access.whenEnded { ids in ended.withLock { $0 += ids } }
    let (first, firstSecrets) = try Self.open(access, now: 0)
    let (second, secondSecrets) = try Self.open(access, now: 1)
    _ = Self.find(access, firstSecrets, now: 2)
    let (_, thirdSecrets) = try Self.open(access, now: 3)
    #expect(ended.withLock { $0 } == [second.id])
    #expect(Self.find(access, firstSecrets, now: 4)?.id == first.id)
    #expect(Self.find(access, secondSecrets, now: 4) == nil)
    #expect(Self.find(access, thirdSecrets, now: 4) != nil)
  }

  @Test("all sessions of a user end together, and sessions opened by links stay")
  func users() throws {
    let access = ConsoleAccess()
    let ended = Mutex<Set<UInt64>>([])
    access.whenEnded { ids in ended.withLock { $0.formUnion(ids) } }
    let (first, _) = try Self.open(access, uid: "kim")
    let (second, _) = try Self.open(access, uid: "kim")
    let (_, other) = try Self.open(access, uid: "mira")
    let (_, link) = try Self.open(access)
    access.end(ofUser: "kim")
    #expect(ended.withLock { $0 } == [first.id, second.id])
    #expect(Self.find(access, other, now: 1) != nil && Self.find(access, link, now: 1) != nil)
  }

  @Test("sessions of users without the required claim end; sessions opened by links stay")
  func lapsed() throws {
    let ended = Mutex<[UInt64]>([])
    let access = ConsoleAccess()
    access.whenEnded { sessions in ended.withLock { $0 += sessions.sorted() } }
    let (kim, _) = try Self.open(access, uid: "kim")
    let (_, viewer) = try Self.open(access, .viewer, uid: "kim")
    let (_, link) = try Self.open(access)
    access.endLapsed { uid, role in uid == "kim" && role == .administrator }
    #expect(ended.withLock { $0 } == [kim.id])
    #expect(Self.find(access, viewer, now: 1) != nil && Self.find(access, link, now: 1) != nil)
  }

  // MARK: Credentials

  @Test("a credential has the role of its session, for five minutes")
  func credential() throws {
    let access = ConsoleAccess()
    let (session, _) = try Self.open(access, .viewer)
    let made = try #require(try access.makeCredential(of: session.id, for: "default", now: 0))
    #expect(made.endsInSeconds == 300 && made.isFirst && made.text.hasPrefix("hearth_console_"))
    let found = try #require(access.credential(made.text, now: 299_999))
    #expect(found.session == session.id && found.role == .viewer)
    #expect(access.credential(made.text, now: 300_000) == nil)
    #expect(access.credential(String(made.text.dropFirst(15)), now: 1) == nil)
    #expect(access.credential(made.text + "x", now: 1) == nil)
    let next = try #require(try access.makeCredential(of: session.id, for: "default", now: 1))
    #expect(!next.isFirst && next.text != made.text)
  }

  @Test("a credential ends with its session, and never later than the session's own end")
  func credentialEnds() throws {
    let access = ConsoleAccess()
    let (session, secrets) = try Self.open(access)
    let late = try #require(try access.makeCredential(of: session.id, for: "default", now: 1_700_000))
    #expect(late.endsInSeconds == 100, "giving one out is no use")
    _ = Self.find(access, secrets, now: 1_750_000)
    let made = try #require(try access.makeCredential(of: session.id, for: "default", now: 1_750_000))
    #expect(made.endsInSeconds == 300)
    access.end(session.id)
    #expect(access.credential(made.text, now: 1_750_001) == nil)
    #expect(try access.makeCredential(of: session.id, for: "default", now: 1_750_001) == nil)
    #expect(!access.isOpen(session.id, now: 1_750_001))
  }

  @Test("the oldest of too many credentials is dropped")
  func manyCredentials() throws {
    var limits = ConsoleLimits.standard
    limits.credentialsPerSessionMax = 2
    let access = ConsoleAccess(limits: limits)
    let (session, _) = try Self.open(access)
    let made = try (0..<3).map {
      try #require(try access.makeCredential(of: session.id, for: "d", now: Int64($0))).text
    }
    #expect(made.map { access.credential($0, now: 5) != nil } == [false, true, true])
  }

  @Test("without randomness no secret is made")
  func noRandomness() {
    let access = ConsoleAccess(random: RandomBytes { (_) throws(RandomnessError) in throw RandomnessError() })
    #expect(throws: RandomnessError.self) { try access.makeKey(.viewer, name: "kim", now: 0) }
    #expect(throws: RandomnessError.self) { try Self.open(access) }
  }
}
