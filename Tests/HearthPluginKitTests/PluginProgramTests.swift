import HearthPlugin
import HearthTree
import Synchronization
import Testing

@testable import HearthPluginKit

/// Tests of a plugin program with the test as its server.
@Suite struct PluginProgramTests {
  /// The server's lines, and those of the program.
  final class Server: Sendable {
    let lines: AsyncStream<String>
    private let input: AsyncStream<String>.Continuation
    let said: AsyncStream<PluginMessage>
    private let output: AsyncStream<PluginMessage>.Continuation

    init() {
      (lines, input) = AsyncStream.makeStream()
      (said, output) = AsyncStream.makeStream()
    }

    func say(_ message: HostMessage) { say(String(decoding: message.line.dropLast(), as: UTF8.self)) }
    func say(_ line: String) { input.yield(line) }
    func ask(_ id: UInt64, _ input: JSON = .object([]), hook: PluginHook = .sendMail) {
      say(.request(PluginRequest(id: id, hook: hook, deadlineMilliseconds: 1_000, input: input)))
    }
    func close() { input.finish() }

    func run(_ program: PluginProgram) async {
      await program.run(reading: lines) { [output] line in
        if let message = try? PluginMessage(line: line.dropLast()) { output.yield(message) }
      }
      output.finish()
    }
  }

  /// A gate that opens on command, for one waiting task.
  struct Gate: Sendable {
    private let stream = AsyncStream<Void>.makeStream()
    func open() { stream.continuation.finish() }
    func pass() async throws {
      for await _ in stream.stream {}
      try Task.checkCancellation()
    }
  }

  static func hello(settings: JSON = .object([])) -> HostMessage {
    .hello(HostHello(server: "test", plugin: "p", worker: 0, settings: settings))
  }

  @Test("a program answers hello with its hooks, and its functions get the settings")
  func says() async throws {
    var program = PluginProgram("p", version: "2")
    program.on(.sendMail) { (_: JSON, settings) in settings["key"] ?? .null }
    program.on(.exchange) { (_: JSON, _) in JSON.null }
    let server = Server()
    server.say(Self.hello(settings: .object([.init("key", .string("k"))])))
    server.ask(1)
    server.say("{\"messageOfTheFuture\":{}}")
    server.say("not JSON")
    server.close()
    await server.run(program)
    var said: [PluginMessage] = []
    for await message in server.said { said.append(message) }
    #expect(
      said == [
        .hello(PluginHello(name: "p", version: "2", hooks: [.exchange, .sendMail])), .output(id: 1, .string("k")),
      ])
  }

  @Test("requests are answered as they are done, also the last ones before the end", arguments: [true, false])
  func several(isDrained: Bool) async throws {
    let gate = Gate()
    var program = PluginProgram("p", version: "1")
    program.on(.sendMail) { (input: JSON, _) in
      if input["waits"] != nil { try await gate.pass() }
      return input
    }
    let server = Server()
    server.ask(1, .object([.init("waits", .bool(true))]))
    server.ask(2)
    let run = Task { await server.run(program) }
    var said = server.said.makeAsyncIterator()
    #expect(await said.next() == .output(id: 2, .object([])))
    if isDrained { server.say(.drain) } else { server.close() }
    gate.open()
    #expect(await said.next() == .output(id: 1, .object([.init("waits", .bool(true))])))
    #expect(await said.next() == nil)
    await run.value
  }

  @Test("only an abandoned request is cancelled")
  func cancels() async throws {
    let gate = Gate()
    var program = PluginProgram("p", version: "1")
    program.on(.sendMail) { (input: JSON, _) -> JSON in
      if input["isEndless"] != nil { try await Task.sleep(for: .seconds(86_400)) }
      try await gate.pass()
      return .null
    }
    let server = Server()
    server.ask(1, .object([.init("isEndless", .bool(true))]))
    server.ask(2)
    server.say(.cancel(id: 1))
    server.say(.cancel(id: 7))
    let run = Task { await server.run(program) }
    var said = server.said.makeAsyncIterator()
    #expect(await said.next() == .failure(id: 1, PluginFailure("CancellationError", isTemporary: true)))
    gate.open()
    #expect(await said.next() == .output(id: 2, .null))
    server.close()
    await run.value
  }

  struct Secret: Error { let text = "the password was x" }

  @Test("the log has the type of an error and the message of a failure; unreadable and unsupported requests are errors")
  func errors() async throws {
    var program = PluginProgram("p", version: "1")
    program.on(.sendMail) { (_: JSON, _) -> JSON in throw Secret() }
    program.on(.exchange) { (_: JSON, _) -> JSON in throw PluginFailure("closed on Sundays", isTemporary: true) }
    program.on(.beforeCreate) { (_: HookEvent, _) -> HookVerdict in .allow() }
    let server = Server()
    server.ask(1)
    server.ask(2, hook: .exchange)
    server.ask(3, .string("no event"), hook: .beforeCreate)
    server.ask(4, hook: .beforeSignIn)
    server.close()
    await server.run(program)
    var failures: [UInt64: PluginFailure] = [:]
    for await case .failure(let id, let failure) in server.said { failures[id] = failure }
    #expect(
      failures == [
        1: PluginFailure("Secret", isTemporary: false), 2: PluginFailure("closed on Sundays", isTemporary: true),
        3: PluginFailure("DecodingError", isTemporary: false),
        4: PluginFailure("the plugin does not handle this hook", isTemporary: false),
      ])
  }
}
