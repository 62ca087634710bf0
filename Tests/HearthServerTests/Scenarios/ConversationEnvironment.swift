import HearthTestKit
import HearthTree

/// An environment in which a ``Conversation`` can be replayed.
protocol ConversationEnvironment: AnyObject {
  /// Opens a socket and reads its hello.
  ///
  /// - Parameter last: The client whose session this one continues.
  func connect(_ name: String, after last: String?, agent: String?) throws
  func leave(_ name: String) throws
  /// Returns the body of a sign-in request for the identity; nil for a signed-out client.
  func credential(of identity: Conversation.Identity) throws -> String
  func send(_ name: String, _ message: String) throws
  /// Returns the next message to the client, or nil when none arrives.
  func next(_ name: String) throws -> Conversation.ReceivedEvent?
  /// Returns all unread messages to the client, once all work is done.
  func rest(_ name: String) throws -> [Conversation.ReceivedEvent]
  func stream(_ name: String, _ target: String, as identity: Conversation.Identity) throws
  func request(_ exchange: Conversation.HTTPExchange) throws -> LiveResponse
  func pass(milliseconds: Int64) throws
}

/// An error for an operation that the environment does not support; the test skips such conversations.
struct UnsupportedStep: Error {}

/// A player that replays conversations and compares messages with the expected ones.
struct ConversationPlayer {
  struct Failure: Error, CustomStringConvertible {
    var description: String
  }

  private let environment: any ConversationEnvironment
  /// The open requests of each client, oldest first.
  private var open: [String: [(number: Int64, action: String)]] = [:]
  private var lastNumber: [String: Int64] = [:]
  private var listeners: [String] = []

  init(_ environment: any ConversationEnvironment) { self.environment = environment }

  /// Replays a conversation.
  ///
  /// - Throws: ``Failure`` with the line that differs.
  static func play(_ conversation: Conversation, in environment: any ConversationEnvironment) throws {
    var player = ConversationPlayer(environment)
    for step in conversation.steps {
      do {
        try player.perform(step.kind)
      } catch let failure as Failure {
        throw Failure(description: "line \(step.line): \(step.text)\n  \(failure)")
      }
    }
    for name in player.listeners {
      do { try player.expectSilence(of: name) } catch let failure as Failure {
        throw Failure(description: "at the end: \(failure)")
      }
    }
  }

  private mutating func perform(_ kind: Conversation.Kind) throws {
    switch kind {
    case .connect(let name, let last, let agent):
      try environment.connect(name, after: last, agent: agent)
      (open[name], lastNumber[name]) = ([], 0)
      if !listeners.contains(name) { listeners.append(name) }
    case .leave(let name):
      try environment.leave(name)
      listeners.removeAll { $0 == name }
    case .identify(let name, let identity): try identify(name, identity)
    case .request(let name, let action, let body): try request(name, action, body)
    case .raw(let name, let text): try environment.send(name, text)
    case .expect(let name, let expectation): try expect(name, expectation)
    case .silent(let name): try expectSilence(of: name)
    case .stream(let name, let target, let identity):
      try environment.stream(name, target, as: identity)
      listeners.append(name)
    case .http(let exchange): try hold(exchange)
    case .time(let milliseconds): try environment.pass(milliseconds: milliseconds)
    }
  }

  private mutating func request(_ name: String, _ action: String, _ body: String) throws {
    let number = lastNumber[name, default: 0] + 1
    lastNumber[name] = number
    open[name, default: []].append((number, action))
    let body = body.isEmpty ? "{}" : body
    try environment.send(name, "{\"t\":\"d\",\"d\":{\"r\":\(number),\"a\":\"\(action)\",\"b\":\(body)}}")
  }

  private mutating func identify(_ name: String, _ identity: Conversation.Identity) throws {
    if identity == .signedOut {
      try request(name, "unauth", "{}")
      return try expect(name, .reply(action: "unauth", status: "ok", data: nil))
    }
    try request(name, "auth", "{\"cred\":\"\(try environment.credential(of: identity))\"}")
    try expect(name, .reply(action: "auth", status: "ok", data: nil))
  }

  // MARK: Received messages

  private mutating func expect(_ name: String, _ expectation: Conversation.Expectation) throws {
    guard let told = try environment.next(name) else {
      throw Failure(description: "\(name) is told nothing")
    }
    func differs() -> Failure { Failure(description: "\(name) is told: \(told)") }
    switch (expectation, told) {
    case (.closed, .closed): listeners.removeAll { $0 == name }
    case (.control(let type, let data), .control(let other, let payload)):
      guard type == other, payload.matches(data) else { throw differs() }
    case (.push(let action, let body), .push(let other, let data)):
      guard action == other, data.matches(body) else { throw differs() }
    case (.text(let action, let text), .text(let other, let data)):
      guard action == other, text == data else { throw differs() }
    case (.reply(let action, let status, let data), .reply(let number, let other, let payload)):
      guard let index = open[name]?.firstIndex(where: { $0.action == action }), open[name]?[index].number == number,
        status == other
      else { throw differs() }
      if let data, !payload.matches(data) { throw differs() }
      open[name]?.remove(at: index)
    default: throw differs()
    }
  }

  private func expectSilence(of name: String) throws {
    let rest = try environment.rest(name)
    guard rest.isEmpty else {
      throw Failure(
        description:
          "\(name) should be told nothing, and is told:\n  \(rest.map(\.description).joined(separator: "\n  "))")
    }
  }

  private func hold(_ exchange: Conversation.HTTPExchange) throws {
    let response = try environment.request(exchange)
    func differs(_ what: String) -> Failure {
      Failure(description: "\(what): \(response.status) \(response.body)")
    }
    guard response.status == exchange.status else { throw differs("another status") }
    switch exchange.responseBody {
    case nil: break
    case .empty: guard response.body.isEmpty else { throw differs("a body") }
    case .text(let text): guard response.body == text else { throw differs("another text") }
    case .json(let expected):
      guard let json = JSON(parsing: response.body.utf8), json.matches(expected) else { throw differs("another body") }
    }
    for (name, value) in exchange.responseHeaders {
      let found = response.headers[name.lowercased()]
      guard value == "*" ? found != nil : found == (value == "-" ? nil : value) else {
        throw differs("\(name) is \(found ?? "-")")
      }
    }
  }
}
