import HearthTestKit
import HearthTree

/// A real server over loopback, with sockets or long polls, and HTTP requests.
final class LiveConversationEnvironment: ConversationEnvironment {
  private let test: TestServer
  private let namespace: String
  private let polls: Bool
  private var clients: [String: any LiveClient] = [:]
  private var streams: [String: LiveStream] = [:]
  /// The session of each client, including disconnected ones.
  private var sessions: [String: String] = [:]

  /// Creates the environment.
  ///
  /// - Parameters:
  ///   - namespace: The conversation's own database.
  ///   - polls: True for clients with long polls instead of sockets.
  init(_ test: TestServer, namespace: String, polls: Bool = false) {
    self.test = test
    self.namespace = namespace
    self.polls = polls
  }

  /// Sets up the rules and data of a conversation.
  func prepare(_ conversation: Conversation) throws {
    var setUp = [("/.settings/rules.json", conversation.rules)]
    if let data = conversation.data { setUp.append(("/.json", data)) }
    for (target, body) in setUp {
      let response = try test.http(
        "PUT", try self.target(target), body, headers: ["Authorization": "Bearer owner"])
      guard response.status == 200 else {
        throw ConversationPlayer.Failure(description: "\(target) cannot be set: \(response.body)")
      }
    }
  }

  private func target(_ text: String) throws -> String {
    text + (text.contains("?") ? "&" : "?") + "ns=\(namespace)"
  }

  private func client(_ name: String) throws -> any LiveClient {
    guard let client = clients[name] else { throw ConversationPlayer.Failure(description: "\(name) is not connected") }
    return client
  }

  func connect(_ name: String, after last: String?, agent: String?) throws {
    var parameters = "ns=\(namespace)"
    if let last, let session = sessions[last] { parameters += "&ls=\(session)" }
    // A browser sends its page's origin, without which a client in it may not use an emulator's credentials.
    let client: any LiveClient =
      polls
      ? PollingClient(try LivePoll(port: test.port, parameters, headers: "Referer: http://localhost/app\r\n"))
      : try test.socket(parameters, headers: agent.map { "User-Agent: \($0)\r\n" } ?? "")
    clients[name] = client
    sessions[name] = client.session
  }

  func leave(_ name: String) throws {
    if streams.removeValue(forKey: name) != nil { return }
    try client(name).close()
    clients[name] = nil
  }

  func credential(of identity: Conversation.Identity) throws -> String {
    switch identity {
    case .signedOut: ""
    case .administrator: "owner"
    case .user(let claims): UnsignedToken.make(claims)
    }
  }

  func send(_ name: String, _ message: String) throws { try client(name).send(message) }

  func next(_ name: String) throws -> Conversation.ReceivedEvent? {
    if let stream = streams[name] { return try stream.told() }
    return Self.told(try client(name).receive())
  }

  private static func told(_ text: String) -> Conversation.ReceivedEvent {
    text.hasPrefix("close ") ? .closed : Conversation.ReceivedEvent(message: text)
  }

  /// The number of a request that no conversation uses. Its answer follows all earlier decisions.
  private static let barrier = 1_000_000

  func rest(_ name: String) throws -> [Conversation.ReceivedEvent] {
    if let stream = streams[name] {
      // The server has one event loop, so all messages before this answer have been sent.
      _ = try test.http(
        "DELETE", try target("/conversation-barrier.json"), headers: ["Authorization": "Bearer owner"])
      return try stream.rest()
    }
    let client = try client(name)
    try client.send(
      "{\"t\":\"d\",\"d\":{\"r\":\(Self.barrier),\"a\":\"g\",\"b\":{\"p\":\"/conversation-barrier\",\"q\":{}}}}")
    var found: [Conversation.ReceivedEvent] = []
    while true {
      let told = Self.told(try client.receive())
      if case .reply(Int64(Self.barrier), _, _) = told { return found }
      found.append(told)
      if case .closed = told { return found }
    }
  }

  func stream(_ name: String, _ target: String, as identity: Conversation.Identity) throws {
    streams[name] = try LiveStream(
      port: test.port, try self.target(target),
      headers: try headers(of: identity).map { "\($0.key): \($0.value)\r\n" }.joined())
  }

  private func headers(of identity: Conversation.Identity) throws -> [String: String] {
    identity == .signedOut ? [:] : ["Authorization": "Bearer \(try credential(of: identity))"]
  }

  func request(_ exchange: Conversation.HTTPExchange) throws -> LiveResponse {
    var headers = try headers(of: exchange.identity)
    for (name, value) in exchange.requestHeaders { headers[name] = value }
    var body = exchange.body
    if headers.contains(where: { $0.value.hasPrefix("multipart/") }) {
      body = body.map { $0.replacing("\\r\\n", with: "\r\n") }
    }
    return try test.http(exchange.method, try target(exchange.target), body, headers: headers)
  }

  func pass(milliseconds: Int64) throws { throw UnsupportedStep() }
}

/// Unsigned tokens, as clients of an emulator make them.
enum UnsignedToken {
  static func make(_ claims: JSON) -> String {
    let header = Array(#"{"alg":"none","type":"JWT"}"#.utf8)
    return "\(base64URL(header)).\(base64URL(claims.text()))."
  }

  private static func base64URL(_ bytes: [UInt8]) -> String {
    let alphabet = Array("ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_".utf8)
    var text: [UInt8] = []
    for start in stride(from: 0, to: bytes.count, by: 3) {
      let part = bytes[start..<min(start + 3, bytes.count)]
      let bits = part.reduce(0) { $0 << 8 | Int($1) } << (8 * (3 - part.count))
      for i in 0...part.count { text.append(alphabet[bits >> (18 - 6 * i) & 63]) }
    }
    return String(decoding: text, as: UTF8.self)
  }
}
