import HearthTransport

/// A row of the list of routes: which requests it is for, and who answers them.
struct Route: Sendable {
  /// Where requests come in.
  enum Listener: Sendable, CaseIterable {
    /// The port, for everybody whom the network lets through.
    case port
    /// The Unix socket in the data folder, for commands of the folder's owner.
    case folder
    /// The address that the console has for itself, if it has one.
    case console
  }

  let name: String
  let listeners: Set<Listener>
  /// Who answers a request, given its path, which is still percent-encoded; nil when the row is not for it. What was
  /// found out about the request on the way goes along in the responder.
  let responder: @Sendable (_ request: HTTPRequest, _ path: String) -> (any HTTPResponder)?

  init(
    _ name: String, on listeners: Set<Listener>,
    answeredBy responder: @escaping @Sendable (HTTPRequest, String) -> (any HTTPResponder)?
  ) {
    self.name = name
    self.listeners = listeners
    self.responder = responder
  }
}
