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

  struct World {
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
    let world = try World(secrets: [PluginSecret(secret: secret)])
    world.runner.start()
    await world.runner.waitUntilSettled(milliseconds: 10_000)
    #expect(world.runner.health == .running)
    guard case .output = await world.ask() else {
      Issue.record("no answer")
      return
    }
    let requests = world.service.requests
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
    await world.runner.stop()
    #expect(world.runner.health == .stopped)
    #expect(await world.ask() == .down)
  }

  @Test("while a former secret is valid there are two signatures; without a valid one no request is sent")
  func rotation() async throws {
    let (one, two) = (try WebhookSecret(random: .system), try WebhookSecret(random: .system))
    for (end, count) in [(Int64.max, 2), (1, 1)] {
      let world = try World(secrets: [PluginSecret(secret: one), PluginSecret(secret: two, endMilliseconds: end)])
      world.runner.start()
      await world.runner.waitUntilSettled(milliseconds: 10_000)
      let signature = world.service.requests[0].headers.first { $0.name == "webhook-signature" }?.value
      #expect(signature?.split(separator: " ").count == count)
      await world.runner.stop()
    }
    let world = try World(secrets: [PluginSecret(secret: one, endMilliseconds: 1)])
    world.runner.start()
    await world.runner.waitUntilSettled(milliseconds: 10_000)
    #expect(world.service.requests.isEmpty)
    await world.runner.stop()
  }

  static let hostile: [(String, OutboundResponse, PluginOutcome)] = [
    ("not JSON", response("<html>"), .unusable(PluginFault.notJSON.rawValue)),
    ("no message", response("{}"), .unusable(PluginFault.unknownMessage.rawValue)),
    ("nothing", response(""), .unusable(PluginFault.notJSON.rawValue)),
    ("another's id", response(#"{"id":99,"output":{}}"#), .unusable(PluginFault.unknownID.rawValue)),
    ("a second hello", response(hello), .unusable(PluginFault.outOfTurn.rawValue)),
    ("a redirect", response("", status: 307), .unusable("a redirect, and none is followed")),
    ("an error", response("secret text", status: 500), .unreachable("it answered status 500")),
    ("no leave", response("", status: 401), .unreachable("it answered status 401")),
  ]

  @Test("an invalid answer is reported by kind, without its content", arguments: 0..<hostile.count)
  func hostileAnswers(index: Int) async throws {
    let (_, answer, outcome) = Self.hostile[index]
    let world = try World()
    world.runner.start()
    await world.runner.waitUntilSettled(milliseconds: 10_000)
    world.service.answers { _ in answer }
    #expect(await world.ask() == outcome)
    #expect(!outcome.text.contains("secret text"))
    await world.runner.stop()
  }

  @Test(
    "a failed transfer is reported by kind",
    arguments: [
      (OutboundError.Code.timedOut, PluginOutcome.late), (.busy, .overloaded),
      (.tooLarge, .unusable("more than 1048576 bytes")),
      (.malformedResponse, .unusable("something that is not HTTP")), (.forbiddenAddress, .unreachable("x")),
      (.untrusted, .unreachable("x")), (.unreachable, .unreachable("x")),
    ])
  func transfers(code: OutboundError.Code, outcome: PluginOutcome) async throws {
    let world = try World()
    world.runner.start()
    await world.runner.waitUntilSettled(milliseconds: 10_000)
    world.service.answers { _ throws(OutboundError) in throw OutboundError(code, "x") }
    #expect(await world.ask() == outcome)
    await world.runner.stop()
  }

  @Test("an unreachable service fails at once, gets hello until it answers, and then requests again")
  func goesAndComes() async throws {
    let world = try World()
    world.runner.start()
    await world.runner.waitUntilSettled(milliseconds: 10_000)
    let isThere = Mutex(false)
    world.service.answers { message throws(OutboundError) in
      guard isThere.withLock({ $0 }) else { throw OutboundError(.unreachable, "it is not there") }
      return Self.echo(message)
    }
    for _ in 0..<WebhookHealth.failuresMax { #expect(await world.ask() == .unreachable("it is not there")) }
    #expect(await world.ask() == .down)
    guard case .down = world.runner.health else {
      Issue.record("\(world.runner.health)")
      return
    }
    isThere.withLock { $0 = true }
    while world.runner.health != .running { await Task.yield() }
    guard case .output = await world.ask() else {
      Issue.record("not asked again")
      return
    }
    #expect(world.runner.statistics.restartCount == 1)
    #expect(world.runner.statistics[.exchange]?.failureCount == WebhookHealth.failuresMax + 1)
    #expect(world.log.all.count == 2, "\(world.log.all)")
    await world.runner.stop()
  }

  @Test(
    "a hello that differs from the manifest prevents requests",
    arguments: [
      #"{"hello":{"protocol":2,"name":"p","version":"1","hooks":["exchange"]}}"#,
      #"{"hello":{"protocol":1,"name":"q","version":"1","hooks":["exchange"]}}"#,
      #"{"hello":{"protocol":1,"name":"p","version":"1","hooks":[]}}"#, #"{"id":1,"output":{}}"#,
    ])
  func wrongHello(text: String) async throws {
    let world = try World { _ in Self.response(text) }
    world.runner.start()
    await world.runner.waitUntilSettled(milliseconds: 10_000)
    #expect(world.runner.health.name == "down")
    #expect(await world.ask() == .down)
    await world.runner.stop()
    #expect(world.runner.health == .stopped)
  }
}
