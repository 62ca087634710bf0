import HearthPlugin
import HearthTree
import Testing

/// Tests that each side can decode the other's messages.
@Suite struct RoundTripTests {
  @Test("plugins can decode the server's messages")
  func hostMessages() {
    let settings = JSON.object([.init("key", .string("a\nb")), .init("list", .array([.int(1), .null]))])
    let messages: [HostMessage] = [
      .hello(HostHello(server: "hearth", plugin: "p", worker: 3, settings: settings)),
      .request(PluginRequest(id: 7, hook: .beforeSignIn, deadlineMilliseconds: 250, input: settings)),
      .request(PluginRequest(id: UInt64(Int64.max), hook: .sendSMS, deadlineMilliseconds: 1, input: .null)),
      .cancel(id: 7), .drain,
    ]
    for message in messages { #expect(HostMessage(line: message.line.dropLast()) == message) }
  }

  @Test(
    "plugins ignore unknown members",
    arguments: [
      "", "x", "[]", "{}", #"{"messageOfTheFuture":{}}"#, #"{"id":1,"hook":"ofTheFuture","input":{}}"#,
      #"{"id":-1,"hook":"exchange","input":{}}"#, #"{"id":1,"hook":"exchange"}"#, #"{"cancel":"7"}"#,
    ])
  func unknown(line: String) { #expect(HostMessage(line: line.utf8) == nil) }

  @Test("the server can decode plugins' messages")
  func pluginMessages() throws {
    let messages: [PluginMessage] = [
      .hello(PluginHello(name: "p", version: "1", hooks: [.exchange, .sendMail])), .output(id: 9, .array([.int(1)])),
      .failure(id: 9, PluginFailure("no \"reason\"", isTemporary: true)),
      .revoke(TokenRevocation(digests: [String(repeating: "0", count: 64)], uids: ["ann", "bob"])),
      .revoke(.everything),
    ]
    for message in messages { #expect(try PluginMessage(line: message.line.dropLast()) == message) }
  }
}
