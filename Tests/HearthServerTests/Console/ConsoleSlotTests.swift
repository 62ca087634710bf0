import HearthTree
import Testing

@testable import HearthConsole
@testable import HearthServer

/// Tests of the slots for event streams and downloads, by session and by person.
@Suite struct ConsoleSlotTests {
  private static func session(_ id: UInt64, _ name: String, uid: String? = nil) -> ConsoleSession {
    ConsoleSession(
      id: id, role: .viewer, name: name, user: uid.map { ConsoleUser(uid: $0, generation: 1) }, endsInSeconds: 1,
      idleSeconds: 1, isPresent: false)
  }

  @Test("one person's sessions take at most half of the event streams")
  func streams() {
    let streams = ConsoleStreams()
    let own = (1...16).map { Self.session($0, "kim", uid: "kim") }
    var taken: [ConsoleSession] = []
    for session in own { for _ in 0..<8 where streams.enter(session) { taken.append(session) } }
    #expect(taken.count == ConsoleStreams.perPersonMax && ConsoleStreams.perPersonMax * 2 == ConsoleStreams.countMax)
    let others = (17...32).map { Self.session($0, "kim") }
    #expect(others.allSatisfy { streams.enter($0) }, "a link of the same name is another person")
    let mira = (33...48).map { Self.session($0, "mira", uid: "mira") }
    #expect(mira.allSatisfy { streams.enter($0) })
    #expect(!streams.enter(Self.session(49, "noor", uid: "noor")), "all are taken")
    streams.leave(taken.removeLast())
    #expect(streams.enter(Self.session(49, "noor", uid: "noor")))
    for session in taken { streams.leave(session) }
    #expect(streams.enter(own[15]))
  }

  @Test("one session takes at most eight event streams")
  func streamsOfSession() {
    let streams = ConsoleStreams()
    let session = Self.session(1, "kim")
    #expect((0..<9).map { _ in streams.enter(session) } == Array(repeating: true, count: 8) + [false])
    streams.leave(session)
    #expect(streams.enter(session) && !streams.enter(session))
  }

  @Test("one person's sessions take at most half of the downloads")
  func downloads() {
    let downloads = ConsoleDownloads()
    let (kim, mira, noor) = (
      Self.session(1, "kim").person, Self.session(2, "mira").person, Self.session(3, "noor").person
    )
    #expect((0..<5).map { _ in downloads.enter(kim) } == [true, true, true, true, false])
    #expect((0..<4).allSatisfy { _ in downloads.enter(mira) })
    #expect(!downloads.enter(noor), "all are taken")
    downloads.leave(kim)
    #expect(downloads.enter(noor) && !downloads.enter(kim))
  }

  @Test("one person's keys for downloads replace that person's own, and none of others")
  func keys() throws {
    let downloads = ConsoleDownloads()
    func key(_ session: ConsoleSession) throws -> String {
      try downloads.makeKey(session: session, cookie: "c", database: "default", path: Path([]), now: 0)
    }
    let mira = try key(Self.session(1, "mira"))
    let kim = try (0..<UInt64(ConsoleDownloads.keysMax + 1)).map { try key(Self.session(2 + $0, "kim")) }
    #expect(downloads.redeem(mira[...], cookie: "c", now: 1)?.person.name == "mira")
    #expect(downloads.redeem(kim[0][...], cookie: "c", now: 1) == nil)
    let kept = kim.suffix(ConsoleDownloads.keysPerPersonMax)
    #expect(kept.allSatisfy { downloads.redeem($0[...], cookie: "c", now: 1) != nil })
  }
}
