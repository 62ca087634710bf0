import HearthEngine
import HearthTree
import HearthWire
import Testing

@testable import HearthGateway
@testable import HearthTransport

@Suite struct SessionTests {
  private static func listen(_ number: Int32, _ path: String = "a", query: JSON? = nil) -> ClientMessage {
    .request(Request(number: number, action: .listen(.init(path: Path(path), hash: "", query: query))))
  }

  private static func authenticate(_ number: Int32, _ token: String = "t") -> ClientMessage {
    .request(Request(number: number, action: .authenticate(.init(token: token))))
  }

  private static func put(_ number: Int32) -> ClientMessage {
    let write = Write(location: Location(path: Path("a")), value: WriteValue(Node(.bool(true))))
    return .request(Request(number: number, action: .put(.init(write: write))))
  }

  private static func opened() -> ClientSession {
    var session = ClientSession()
    var outputs: [ClientSession.Output] = []
    session.opened(into: &outputs)
    return session
  }

  @Test func nothingReachesTheDatabaseBeforeItIsOpen() {
    var session = ClientSession()
    var outputs: [ClientSession.Output] = []
    session.receive(Self.listen(1), sizeBytes: 10, into: &outputs)
    session.receive(.ping, sizeBytes: 10, into: &outputs)
    #expect(outputs.isEmpty)
    session.opened(into: &outputs)
    #expect(outputs.map(\.summary) == ["submit listen 1", "send pong"])
  }

  @Test func messagesBehindACredentialWaitForItsVerification() {
    var session = Self.opened()
    var outputs: [ClientSession.Output] = []
    session.receive(Self.authenticate(1), sizeBytes: 10, into: &outputs)
    session.receive(Self.listen(2), sizeBytes: 10, into: &outputs)
    session.receive(Self.authenticate(3), sizeBytes: 10, into: &outputs)
    session.receive(Self.listen(4), sizeBytes: 10, into: &outputs)
    #expect(outputs.map(\.summary) == ["verify t"])
    outputs.removeAll()
    session.verified(.success(.signedOut), into: &outputs)
    #expect(outputs.map(\.summary) == ["submit authenticate 1", "submit listen 2", "verify t"])
    outputs.removeAll()
    session.verified(.failure(.refused(.invalidToken, text: "no")), into: &outputs)
    #expect(outputs.map(\.summary) == ["submit unauthenticate 3", "submit listen 4"])
    #expect(session.message(for: .ok, to: 3)?.summary == "reply 3 invalid_token no")
  }

  @Test func requestsCountByTheirSizeUntilTheyAreAnswered() {
    var session = Self.opened()
    var outputs: [ClientSession.Output] = []
    session.receive(Self.put(1), sizeBytes: 1000, into: &outputs)
    session.receive(.ping, sizeBytes: 100, into: &outputs)
    session.receive(.request(Request(number: 2, action: .stats(.object([])))), sizeBytes: 100, into: &outputs)
    session.receive(Self.listen(3), sizeBytes: 10, into: &outputs)
    #expect(session.unansweredBytes == 1010)
    _ = session.message(for: .written(.empty), to: 1)
    _ = session.message(for: .written(.empty), to: 1)
    #expect(session.unansweredBytes == 10)
    session.close()
    #expect(session.unansweredBytes == 0)
  }

  @Test func aCredentialThatCannotBeCheckedClosesTheSocket() {
    var session = Self.opened()
    var outputs: [ClientSession.Output] = []
    session.receive(Self.authenticate(1), sizeBytes: 10, into: &outputs)
    session.receive(Self.listen(2), sizeBytes: 10, into: &outputs)
    session.verified(.failure(.unavailable(reason: "memory")), into: &outputs)
    session.receive(Self.listen(3), sizeBytes: 10, into: &outputs)
    #expect(outputs.map(\.summary) == ["verify t", "close"])
  }

  @Test func waitingMessagesAreBounded() {
    var session = ClientSession()
    var outputs: [ClientSession.Output] = []
    session.receive(Self.listen(1), sizeBytes: ClientSession.heldBytesMax, into: &outputs)
    #expect(outputs.isEmpty)
    session.receive(Self.listen(2), sizeBytes: 1, into: &outputs)
    #expect(outputs.map(\.summary) == ["close"])
  }

  @Test func everyRequestIsAnsweredAsItsClientsNeedIt() {
    var session = Self.opened()
    var outputs: [ClientSession.Output] = []
    session.receive(Self.listen(1), sizeBytes: 10, into: &outputs)
    session.receive(Self.put(2), sizeBytes: 10, into: &outputs)
    session.receive(.request(Request(number: 3, action: .unauthenticate)), sizeBytes: 10, into: &outputs)
    session.receive(
      .request(Request(number: 4, action: .unlisten(.init(path: Path("a"))))), sizeBytes: 1, into: &outputs)
    #expect(session.message(for: .ok, to: 1)?.text == #"{"t":"d","d":{"r":1,"b":{"s":"ok","d":{}}}}"#)
    #expect(session.message(for: .written(.empty), to: 2)?.text == #"{"t":"d","d":{"r":2,"b":{"s":"ok","d":""}}}"#)
    #expect(
      session.message(for: .ok, to: 3)?.text == #"{"t":"d","d":{"r":3,"b":{"s":"ok","d":"unauthenticated"}}}"#)
    #expect(session.message(for: .ok, to: 4)?.text == #"{"t":"d","d":{"r":4,"b":{"s":"ok","d":""}}}"#)
    #expect(session.message(for: .ok, to: 4) == nil, "an answer is given once")
  }

  @Test func failuresCarryTheirStatusAndAText() {
    var session = Self.opened()
    var outputs: [ClientSession.Output] = []
    for number in Int32(1)...4 { session.receive(Self.put(number), sizeBytes: 10, into: &outputs) }
    #expect(
      session.message(for: .failure(.permissionDenied), to: 1)?.summary == "reply 1 permission_denied Permission denied"
    )
    #expect(session.message(for: .stale(.empty), to: 2)?.summary == "reply 2 datastale The data has changed")
    #expect(session.message(for: .failure(.writeTooBig), to: 3)?.summary.hasPrefix("reply 3 write_too_big ") == true)
    #expect(session.message(for: .failure(.invalidPath), to: 4)?.summary == "reply 4 failed Invalid token in path")
  }

  @Test func countersAndAppCheckAreAcceptedAtOnce() {
    var session = Self.opened()
    var outputs: [ClientSession.Output] = []
    let actions: [Request.Action] = [.stats(.object([])), .appCheck(token: "x"), .dropAppCheck]
    for (number, action) in actions.enumerated() {
      session.receive(.request(Request(number: Int32(number), action: action)), sizeBytes: 1, into: &outputs)
    }
    #expect(outputs.map(\.summary) == (0..<3).map { "send reply \($0) ok" })
  }

  @Test func anUnknownActionFails() {
    var session = Self.opened()
    var outputs: [ClientSession.Output] = []
    session.receive(.request(Request(number: 1, action: .unknown(name: "zz"))), sizeBytes: 1, into: &outputs)
    #expect(outputs.map(\.summary) == ["send reply 1 failed Unknown action zz"])
  }

  @Test func changesAtTheEndOfTheConnectionReachTheDatabase() {
    var session = Self.opened()
    var outputs: [ClientSession.Output] = []
    let place = Location(path: Path("a/b"))
    let write = Write(location: place, value: WriteValue(Node(.int(1))))
    let actions: [Request.Action] = [
      .onDisconnectPut(write), .onDisconnectMerge(.init(path: Path("a"), writes: [write])), .onDisconnectCancel(place),
    ]
    for (number, action) in actions.enumerated() {
      session.receive(.request(Request(number: Int32(number), action: action)), sizeBytes: 1, into: &outputs)
    }
    #expect(
      outputs.map(\.summary) == [
        "submit onDisconnect put /a/b 0", "submit onDisconnect merge /a /b 1", "submit cancelOnDisconnect /a/b 2",
      ])
    #expect(session.message(for: .ok, to: 0)?.summary == "reply 0 ok")
    #expect(session.message(for: .ok, to: 1)?.text == #"{"t":"d","d":{"r":1,"b":{"s":"ok","d":""}}}"#)
    let failure = Failure(.tooManyOnDisconnects, "Too many")
    #expect(session.message(for: .failure(failure), to: 2)?.summary == "reply 2 failed Too many")
  }

  @Test func aClientThatGoesOnElsewhereIsFollowedAfterWhatItSaidBefore() {
    var session = Self.opened()
    var outputs: [ClientSession.Output] = []
    session.receive(Self.authenticate(1), sizeBytes: 10, into: &outputs)
    session.receive(Self.put(2), sizeBytes: 10, into: &outputs)
    session.receive(.endOfTransmission, sizeBytes: 10, into: &outputs)
    #expect(outputs.map(\.summary) == ["verify t"])
    session.verified(.success(.signedOut), into: &outputs)
    #expect(outputs.map(\.summary) == ["verify t", "submit authenticate 1", "submit write 2", "switch"])
  }

  @Test func aSimulatingCredentialWritesNothing() {
    var session = Self.opened()
    var outputs: [ClientSession.Output] = []
    session.receive(Self.authenticate(1), sizeBytes: 1, into: &outputs)
    let caller = VerifiedCaller(principal: .signedOut, claims: .null, isSimulating: true)
    session.verified(.success(caller), into: &outputs)
    session.receive(Self.put(2), sizeBytes: 1, into: &outputs)
    let write = Write(location: Location(path: Path("a")), value: WriteValue(.empty))
    session.receive(.request(Request(number: 5, action: .onDisconnectPut(write))), sizeBytes: 1, into: &outputs)
    session.receive(.request(Request(number: 3, action: .unauthenticate)), sizeBytes: 1, into: &outputs)
    session.receive(Self.put(4), sizeBytes: 1, into: &outputs)
    #expect(
      outputs.map(\.summary) == [
        "verify t", "submit authenticate 1", "send reply 2 failed This server does not simulate writes",
        "send reply 5 failed This server does not simulate writes", "submit unauthenticate 3", "submit write 4",
      ])
  }
}
