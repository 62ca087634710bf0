import HearthTransport

/// A row of the list of routes: which requests it is for, and who answers them.
struct Route: Sendable {
  /// Where requests come in.
  enum Listener: Sendable, CaseIterable {
    /// The port, for everybody whom the network lets through.
    case port
    /// The Unix socket in the data folder, for commands of the folder's owner.
    case folder
  }

  let name: String
  let listeners: Set<Listener>
  /// Given a request and its path, which is still percent-encoded.
  let matches: @Sendable (_ request: HTTPRequest, _ path: String) -> Bool
  let responder: any HTTPResponder

  init(
    _ name: String, on listeners: Set<Listener>, matching matches: @escaping @Sendable (HTTPRequest, String) -> Bool,
    answeredBy responder: any HTTPResponder
  ) {
    self.name = name
    self.listeners = listeners
    self.matches = matches
    self.responder = responder
  }
}
