/// An attack of a client on the server's capacity: its name, the data that it needs, and the messages that it sends.
struct Attack: Sendable {
  /// The continuous load of a client.
  enum Load: Sendable {
    /// Requests over a socket.
    ///
    /// - inFlight: The number of unanswered requests.
    /// - perConnection: The number of requests on one connection, which then ends; nil when it stays open.
    case messages(
      inFlight: Int, perConnection: Int? = nil, @Sendable (AttackerIdentity, _ number: Int) -> AttackMessage)
    /// Bytes over a socket, sent as fast as the server reads them, without waiting for answers.
    case frames(@Sendable (_ number: Int) -> [UInt8])
    /// HTTP requests over a number of connections, each with one request at a time.
    case requests(
      connections: Int, @Sendable (AttackerIdentity, _ connection: Int, _ number: Int) -> AttackRequest)
  }

  var name: String
  /// True when `/large` holds ``GriefingData/largeCount`` children.
  var needsLargePlace = false
  /// True when each client has an anonymous account: ``AttackerIdentity/account``.
  var needsAccount = false
  /// True when sockets sign in before any other request.
  var signsIn = true
  /// True when answers are read.
  var readsAnswers = true
  /// Requests that each new socket makes before the load begins.
  var setUp: @Sendable (AttackerIdentity) -> [AttackMessage] = { _ in [] }
  var load: Load
  /// The messages a second of each client; nil for as fast as possible.
  var messagesPerSecond: Double?

  /// Every attack of the table.
  static let all = identity + listens + reads + writes + rules + frames + rest + streams + accounts + administration

  /// Returns a control load: as many bytes as the attack sent, in writes of short texts over the same transport.
  ///
  /// - Parameters:
  ///   - traffic: The traffic of all clients of the attack.
  ///   - clientSeconds: The sum of the clients' times, in seconds.
  func control(_ traffic: AttackTraffic, clientSeconds: Double) -> Attack {
    let messageBytes = min(
      max(traffic.bytes / max(1, traffic.messages), Self.controlBytes.lowerBound), Self.controlBytes.upperBound)
    let text = String(repeating: "x", count: messageBytes - Self.controlBytes.lowerBound + 1)
    var control = Attack(name: "control of \(name)", load: .frames { _ in [] })
    control.messagesPerSecond = Double(traffic.bytes) / clientSeconds / Double(messageBytes)
    switch load {
    case .messages, .frames:
      control.load = .messages(inFlight: 256) { client, number in
        .put("/own/\(client.uid)/k\(number % 1_000)", "\"\(text)\"")
      }
    case .requests(let connections, _):
      control.load = .requests(connections: min(connections, 8)) { client, _, number in
        AttackRequest(.PUT, "/own/\(client.uid)/k\(number % 1_000).json?auth=\(client.tokens[0])", body: "\"\(text)\"")
      }
    }
    return control
  }

  /// The size of a control's messages in bytes, at least that of a short chat message.
  private static let controlBytes = 120...16_384
}

/// The identity of an attacking client.
struct AttackerIdentity: Sendable {
  var number: Int
  var uid: String
  /// Two tokens of this user, and one of another user.
  var tokens: [String]
  /// The database's secret, for attacks by an administrator.
  var secret: String
  /// Tokens of an anonymous account, for attacks that need one.
  var account: Account?

  /// The tokens from a sign-up.
  struct Account: Sendable {
    var idToken: String
    var refreshToken: String
  }

  /// The client's address, in its own network.
  var address: String { "127.77.\(number).1" }

  init(_ number: Int, of target: BenchTarget) throws {
    self.number = number
    uid = "attacker\(number)"
    secret = target.adminCredential
    tokens = try [
      target.token(uid: uid), target.token(uid: uid, ageSeconds: 1), target.token(uid: "other\(number)"),
    ]
  }
}

/// The messages from an attack's clients, and their outcome.
struct AttackTraffic: Sendable {
  var messages = 0
  var bytes = 0
  /// The number of refusals.
  var refused = 0
  /// The number of connections that the server ended.
  var closed = 0

  static func + (first: AttackTraffic, second: AttackTraffic) -> AttackTraffic {
    AttackTraffic(
      messages: first.messages + second.messages, bytes: first.bytes + second.bytes,
      refused: first.refused + second.refused, closed: first.closed + second.closed)
  }
}
