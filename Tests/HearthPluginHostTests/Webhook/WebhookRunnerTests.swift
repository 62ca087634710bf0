import HearthCrypto
import HearthOutbound
import HearthPlugin
import HearthTree
import Synchronization
import Testing

@testable import HearthPluginHost

/// Tests of a runner whose web service is a function in the test.
@Suite struct WebhookRunnerTests {
  /// A service with answers from the test, which records its requests.
  final class Service: OutboundHTTP {
    private struct State {
      var requests: [OutboundRequest] = []
      var answer: @Sendable (JSON) throws(OutboundError) -> OutboundResponse
    }

    private let state: Mutex<State>

    init(_ answer: @escaping @Sendable (JSON) throws(OutboundError) -> OutboundResponse) {
      state = Mutex(State(answer: answer))
    }

    var requests: [OutboundRequest] { state.withLock { $0.requests } }

    func answers(_ answer: @escaping @Sendable (JSON) throws(OutboundError) -> OutboundResponse) {
      state.withLock { $0.answer = answer }
    }

    func send(_ request: OutboundRequest) async throws(OutboundError) -> OutboundResponse {
      let answer = state.withLock { state in
        state.requests.append(request)
        return state.answer
      }
      return try answer(JSON(parsing: request.body) ?? .null)
    }
  }

  final class Log: Sendable {
    private let texts = Mutex<[String]>([])
    var all: [String] { texts.withLock { $0 } }
    func add(_ text: String) { texts.withLock { $0.append(text) } }
  }

  static func response(_ text: String, status: Int = 200) -> OutboundResponse {
    OutboundResponse(status: status, body: Array(text.utf8))
  }

  static let hello = #"{"hello":{"protocol":1,"name":"p","version":"1","hooks":["exchange"]}}"#

  /// Answers a hello, or any request with its ID.
  @Sendable static func echo(_ message: JSON) -> OutboundResponse {
    guard let id = message["id"]?.int else { return response(hello) }
    return response(#"{"id":\#(id),"output":\#(id)}"#)
  }

  struct Fixture {
    let service: Service
    let runner: WebhookRunner
    let log = Log()
    let pauses = Log()

    init(
      secrets: [PluginSecret]? = nil,
      _ answer: @escaping @Sendable (JSON) throws(OutboundError) -> OutboundResponse = WebhookRunnerTests.echo
    ) throws {
      service = Service(answer)
      let secrets = try secrets ?? [PluginSecret(secret: WebhookSecret(random: .system))]
      let call = WebhookClient(
        url: "https://plugins.example.com/p", secrets: secrets, client: service, answerBytesMax: 1 << 20, prefix: "m-")
      let setup = PluginSetup(
        expectation: PluginExpectation(name: "p", version: "1", hooks: [.exchange]),
        settings: .object([.init("a", .int(1))]))
      runner = WebhookRunner(
        setup, call, connections: 8, report: .init(event: { [log] in log.add($1) }, line: { _, _ in }),
        pause: { [pauses] milliseconds in
          pauses.add("\(milliseconds)")
          await Task.yield()
        })
    }

    func ask() async -> PluginOutcome { await runner.ask(.exchange, .object([]), milliseconds: 2_000) }
  }

  @Test("a service gets hello with its settings, then requests; every message is signed with a unique id")
  func signs() async throws {
    let secret = try WebhookSecret(random: .system)
    let fixture = try Fixture(secrets: [PluginSecret(secret: secret)])
    fixture.runner.start()
    await fixture.runner.waitUntilSettled(milliseconds: 10_000)
    #expect(fixture.runner.health == .running)
    guard case .output = await fixture.ask() else {
      Issue.record("no answer")
      return
    }
    let requests = fixture.service.requests
    #expect(requests.count == 2)
    #expect(JSON(parsing: requests[0].body)?["hello"]?["settings"] == .object([.init("a", .int(1))]))
    #expect(JSON(parsing: requests[1].body)?["deadlineMilliseconds"]?.int == 2_000)
    #expect(requests[1].timeoutMilliseconds == 2_000)
    var names: Set<String> = []
    for request in requests {
      let headers = Dictionary(uniqueKeysWithValues: request.headers.map { ($0.name, $0.value) })
      let (name, seconds) = (headers["webhook-id"] ?? "", Int64(headers["webhook-timestamp"] ?? "") ?? 0)
      #expect(names.insert(name).inserted && name.hasPrefix("m-"))
      let signature = WebhookSecret.signatures([secret], id: name, seconds: seconds, body: request.body)
      #expect(headers["webhook-signature"] == signature && signature != nil)
      #expect(request.method == .post && request.responseSizeBytesMax == 1 << 20)
    }
    await fixture.runner.stop()
    #expect(fixture.runner.health == .stopped)
    #expect(await fixture.ask() == .down)
  }

  @Test("while a former secret is valid there are two signatures; without a valid one no request is sent")
  func rotation() async throws {
    let (one, two) = (try WebhookSecret(random: .system), try WebhookSecret(random: .system))
    for (end, count) in [(Int64.max, 2), (1, 1)] {
      let fixture = try Fixture(secrets: [PluginSecret(secret: one), PluginSecret(secret: two, endMilliseconds: end)])
      fixture.runner.start()
      await fixture.runner.waitUntilSettled(milliseconds: 10_000)
      let signature = fixture.service.requests[0].headers.first { $0.name == "webhook-signature" }?.value
      #expect(signature?.split(separator: " ").count == count)
      await fixture.runner.stop()
    }
    let fixture = try Fixture(secrets: [PluginSecret(secret: one, endMilliseconds: 1)])
    fixture.runner.start()
    await fixture.runner.waitUntilSettled(milliseconds: 10_000)
    #expect(fixture.service.requests.isEmpty)
    await fixture.runner.stop()
  }

  static let hostile: [(String, OutboundResponse, PluginOutcome)] = [
    ("not JSON", response("<html>"), .unusable(PluginFault.notJSON.rawValue)),
    ("no message", response("{}"), .unusable(PluginFault.unknownMessage.rawValue)),
    ("nothing", response(""), .unusable(PluginFault.notJSON.rawValue)),
    ("another's id", response(#"{"id":99,"output":{}}"#), .unusable(PluginFault.unknownID.rawValue)),
    ("a second hello", response(hello), .unusable(PluginFault.outOfTurn.rawValue)),
    ("a redirect", response("", status: 307), .unusable("a redirect, which is not followed")),
    ("an error", response("secret text", status: 500), .unreachable("it returned status 500")),
    ("no leave", response("", status: 401), .unreachable("it returned status 401")),
  ]

  @Test("an invalid answer is reported by kind, without its content", arguments: 0..<hostile.count)
  func hostileAnswers(index: Int) async throws {
    let (_, answer, outcome) = Self.hostile[index]
    let fixture = try Fixture()
    fixture.runner.start()
    await fixture.runner.waitUntilSettled(milliseconds: 10_000)
    fixture.service.answers { _ in answer }
    #expect(await fixture.ask() == outcome)
    #expect(!outcome.text.contains("secret text"))
    await fixture.runner.stop()
  }

  @Test(
    "a failed transfer is reported by kind",
    arguments: [
      (OutboundError.Code.timedOut, PluginOutcome.late), (.busy, .overloaded),
      (.tooLarge, .unusable("a response of more than 1048576 bytes")),
      (.malformedResponse, .unusable("a response that is not HTTP")), (.forbiddenAddress, .unreachable("x")),
      (.untrusted, .unreachable("x")), (.unreachable, .unreachable("x")),
    ])
  func transfers(code: OutboundError.Code, outcome: PluginOutcome) async throws {
    let fixture = try Fixture()
    fixture.runner.start()
    await fixture.runner.waitUntilSettled(milliseconds: 10_000)
    fixture.service.answers { _ throws(OutboundError) in throw OutboundError(code, "x") }
    #expect(await fixture.ask() == outcome)
    await fixture.runner.stop()
  }

  @Test("an unreachable service fails at once, gets hello until it answers, and then requests again")
  func goesAndComes() async throws {
    let fixture = try Fixture()
    fixture.runner.start()
    await fixture.runner.waitUntilSettled(milliseconds: 10_000)
    let isThere = Mutex(false)
    fixture.service.answers { message throws(OutboundError) in
      guard isThere.withLock({ $0 }) else { throw OutboundError(.unreachable, "it is not there") }
      return Self.echo(message)
    }
    for _ in 0..<WebhookHealth.failuresMax { #expect(await fixture.ask() == .unreachable("it is not there")) }
    #expect(await fixture.ask() == .down)
    guard case .down = fixture.runner.health else {
      Issue.record("\(fixture.runner.health)")
      return
    }
    isThere.withLock { $0 = true }
    while fixture.runner.health != .running { await Task.yield() }
    guard case .output = await fixture.ask() else {
      Issue.record("not asked again")
      return
    }
    #expect(fixture.runner.statistics.restartCount == 1)
    #expect(fixture.runner.statistics[.exchange]?.failureCount == WebhookHealth.failuresMax + 1)
    #expect(fixture.log.all.count == 2, "\(fixture.log.all)")
    await fixture.runner.stop()
  }

  @Test(
    "a hello that differs from the manifest prevents requests",
    arguments: [
      #"{"hello":{"protocol":2,"name":"p","version":"1","hooks":["exchange"]}}"#,
      #"{"hello":{"protocol":1,"name":"q","version":"1","hooks":["exchange"]}}"#,
      #"{"hello":{"protocol":1,"name":"p","version":"1","hooks":[]}}"#, #"{"id":1,"output":{}}"#,
    ])
  func wrongHello(text: String) async throws {
    let fixture = try Fixture { _ in Self.response(text) }
    fixture.runner.start()
    await fixture.runner.waitUntilSettled(milliseconds: 10_000)
    #expect(fixture.runner.health.name == "down")
    #expect(await fixture.ask() == .down)
    await fixture.runner.stop()
    #expect(fixture.runner.health == .stopped)
  }
}
