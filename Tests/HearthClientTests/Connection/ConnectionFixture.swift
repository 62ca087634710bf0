import HearthTree
import HearthWire

@testable import HearthClient

/// A connection with a simulated clock. Its actions are recorded, each as one line.
struct ConnectionFixture {
  var connection: PersistentConnection
  /// The time in milliseconds on both clocks; the wall clock is a million ahead.
  var now: Int64 = 0
  /// The tokens of the next attempts; nil for a failed fetch. An empty list is a signed-out client.
  var tokens: [ConnectionTokens?] = []

  init(
    _ url: String = "ws://db.example:9000/?ns=chat", isEmulator: Bool = false,
    configure: (inout ConnectionSettings) -> Void = { _ in }
  ) throws {
    var address = try DatabaseAddress.parse(url).address
    address.isEmulator = isEmulator
    var settings = ConnectionSettings()
    configure(&settings)
    connection = PersistentConnection(address, settings: settings, seed: 1)
  }

  var attempt: Int { connection.attempt }

  /// Handles inputs and returns the actions without logs.
  @discardableResult
  mutating func handle(_ inputs: ConnectionInput...) -> [String] {
    inputs.flatMap { connection.handle($0, at: ConnectionTime(monotonic: now, wall: 1_000_000 + now)) }
      .compactMap(Self.line)
  }

  /// Handles texts from the server.
  @discardableResult
  mutating func receive(_ texts: String...) -> [String] {
    texts.flatMap { handle(.received(attempt: attempt, Array($0.utf8))) }
  }

  /// Advances the clock to the deadline and handles it.
  @discardableResult
  mutating func waitForDeadline() -> [String] {
    guard let deadline = connection.deadline else { return ["no deadline"] }
    now = max(now, deadline)
    return handle(.timer)
  }

  /// Connects, from a fetch of tokens to the hello.
  @discardableResult
  mutating func connect(
    credential: String? = nil, hello: String = ConnectionFixture.hello()
  ) -> [String] {
    if case .resting = connection.phase { handle(.open) }
    if case .waiting = connection.phase { waitForDeadline() }
    var lines = handle(.tokens(attempt: attempt, ConnectionTokens(credential: credential)))
    lines += handle(.opened(attempt: attempt))
    return lines + receive(hello)
  }

  static func hello(host: String = "db.example:9000", session: String = "s1", time: Int64 = 5_000_000) -> String {
    #"{"t":"c","d":{"t":"h","d":{"ts":\#(time),"v":"5","h":"\#(host)","s":"\#(session)"}}}"#
  }

  static func reply(_ number: Int, _ status: String = "ok", _ data: String = "\"\"") -> String {
    #"{"t":"d","d":{"r":\#(number),"b":{"s":"\#(status)","d":\#(data)}}}"#
  }

  static func push(_ action: String, _ body: String) -> String { #"{"t":"d","d":{"a":"\#(action)","b":\#(body)}}"# }

  private static func line(_ action: ConnectionAction) -> String? {
    switch action {
    case .fetchTokens(let attempt, let forcing): "tokens \(attempt)\(forcing ? " forced" : "")"
    case .open(let attempt, let request):
      "open \(attempt) \(request.isSecure ? "wss" : "ws")://\(request.host):\(request.port)\(request.target)"
    case .send(_, let texts): "send " + texts.map { String(decoding: $0, as: UTF8.self) }.joined(separator: " | ")
    case .ping: "ping"
    case .close(let attempt): "close \(attempt)"
    case .log: nil
    case .deliver(let event): "tell " + line(event)
    }
  }

  private static func line(_ event: ConnectionEvent) -> String {
    func text(_ data: ReceivedMessage.ReplyData) -> String {
      switch data {
      case .node(let node): "node " + String(decoding: node.json(), as: UTF8.self)
      case .json(let value): String(decoding: value.text(), as: UTF8.self)
      }
    }
    func tagged(_ tag: Int32?) -> String { tag.map { " t\($0)" } ?? "" }
    return switch event {
    case .hello(let time): "hello \(time)"
    case .authenticated(let value): "authenticated " + String(decoding: value.text(), as: UTF8.self)
    case .credentialRefused(let refusal): "refused \(refusal.status.rawValue)"
    case .credentialRevoked(let refusal): "revoked \(refusal.status.rawValue)"
    case .credentialCleared: "cleared"
    case .ready: "ready"
    case .lost: "lost"
    case .reply(let id, let status, let data): "reply \(id) \(status.rawValue) \(text(data))"
    case .put(let place, let node, let tag):
      "put \(place) " + String(decoding: node.json(), as: UTF8.self) + tagged(tag)
    case .merge(let path, let changes, let tag):
      "merge \(path) "
        + changes.map { "\($0.location)=" + String(decoding: $0.node.json(), as: UTF8.self) }.joined(separator: " ")
        + tagged(tag)
    case .ranges(let path, let ranges, let tag): "ranges \(path) \(ranges.count)" + tagged(tag)
    case .cancel(let path, let query):
      "cancel \(path)" + (query.map { " " + String(decoding: $0.wire.text(), as: UTF8.self) } ?? "")
    }
  }
}
