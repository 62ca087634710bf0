import HearthTransport
import HearthWire
import NIOHTTP1

/// The parameters of the request that begins a session.
struct SocketOpening: Sendable {
  /// The authority that the client dialled; the hello repeats it, or clients would connect elsewhere.
  var host: String
  /// The namespace, which need not be a legal name.
  var namespace: String
  /// The client's earlier session; nil when it names none.
  var lastSession: String?
  /// The session over long polls that this client wants to continue; nil when it names none.
  var joinedSession: String?
  var origin: RequestOrigin
  /// The client's user agent.
  var agent: String?

  private static let agents = ClientAgents()

  /// Parses a request; nil when it names no host.
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
