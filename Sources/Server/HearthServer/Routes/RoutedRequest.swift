import HearthIdentity
import HearthTransport

/// A request's head with the parts that rows of the list of routes look at, each found once.
struct RoutedRequest: Sendable {
  let head: HTTPRequest
  /// The path, still percent-encoded.
  let path: String
  /// The routes of the identity endpoints that the request is for; `nil` for none.
  let identity: IdentityRouter.Match?

  init(_ head: HTTPRequest) {
    self.head = head
    path = head.path
    identity = IdentityRouter.match(method: head.method.rawValue, path: path, host: head.hostName)
  }
}
