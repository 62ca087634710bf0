import NIOHTTP1

/// A request over a socket: its action and the JSON text of its body.
struct AttackMessage: Sendable {
  var action: String
  var body: String

  init(_ action: String, _ body: String) { (self.action, self.body) = (action, body) }

  /// Returns a listen request.
  ///
  /// - Parameter more: Additional members of the body, each with a leading comma.
  static func listen(_ path: String, hash: String = "", _ more: String = "") -> AttackMessage {
    AttackMessage("q", "{\"p\":\"\(path)\",\"h\":\"\(hash)\"\(more)}")
  }

  static func unlisten(_ path: String, _ more: String = "") -> AttackMessage {
    AttackMessage("n", "{\"p\":\"\(path)\"\(more)}")
  }

  static func get(_ path: String, query: String = "{}") -> AttackMessage {
    AttackMessage("g", "{\"p\":\"\(path)\",\"q\":\(query)}")
  }

  static func put(_ path: String, _ value: String, hash: String? = nil) -> AttackMessage {
    AttackMessage("p", "{\"p\":\"\(path)\",\"d\":\(value)\(hash.map { ",\"h\":\"\($0)\"" } ?? "")}")
  }

  static func auth(_ token: String) -> AttackMessage { AttackMessage("auth", "{\"cred\":\"\(token)\"}") }

  static let unauth = AttackMessage("unauth", "{}")
}

/// An HTTP request of an attack.
struct AttackRequest: Sendable {
  /// The event after which the connection makes its next request.
  enum End: Sendable {
    /// The end of the answer.
    case answer
    /// The start of the answer, at which the connection is closed and replaced.
    case beginning
    /// No event: the connection stays with this request.
    case never
  }

  var request: BenchHTTP.Request
  var end: End

  init(
    _ method: HTTPMethod, _ path: String, body: String = "", headers: [String: String] = [:], end: End = .answer
  ) {
    request = BenchHTTP.Request(method: method, path: path, body: body, headers: headers)
    self.end = end
  }
}
