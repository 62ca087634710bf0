import HearthTransport
import HearthWire
import NIOHTTP1

/// What the request says that begins a conversation.
struct SocketOpening: Sendable {
  /// The authority that the client dialled; the hello names it again, or clients would go elsewhere.
  var host: String
  /// It need not be a legal name.
  var namespace: String
  /// The session that this client had before.
  var lastSession: String?
  /// A session over long polls that this client wants to go on with.
  var joinedSession: String?
  var origin: RequestOrigin
  /// What the client says that it is.
  var agent: String?

  private static let agents = ClientAgents()

  /// nil when the request names no host.
  init?(_ request: HTTPRequest, from origin: RequestOrigin, defaultNamespace: String) {
    guard let host = request.header("Host"), !host.isEmpty else { return nil }
    let handshake = Handshake(target: request.target)
    self.host = host
    namespace = Namespace.choose(parameter: handshake.namespace, host: host, fallback: defaultNamespace)
    lastSession = handshake.lastSession
    joinedSession = handshake.joinedSession
    self.origin = origin
    agent = Self.agents.shared(request.header("User-Agent"))
  }
}
