import HearthAccounts
import HearthEngine

/// One request to the identity interface, free of HTTP's details.
package struct IdentityRequest: Sendable {
  package enum Authority: Sendable, Equatable {
    /// No `Authorization: Bearer`.
    case none
    /// A bearer that was verified to be an administrator's; the text names it for the audit trail.
    case administrator(String)
    /// A bearer that means nothing here.
    case refused
  }

  package var method: String
  /// The value of `Host`, lower-cased, without a port. It selects a set of routes and is used for nothing else.
  package var host: String
  /// Percent-encoded, without the query.
  package var path: String
  /// Decoded, in order.
  package var query: [(name: String, value: String)]
  /// The query as it came.
  package var queryText: String
  package var contentType: String?
  package var body: [UInt8]
  package var apiKey: String?
  package var authority: Authority
  package var client: ClientInfo
  /// The peer is this machine, and nobody forwarded the request.
  package var isFromLoopback: Bool
  package var now: Instant

  package init(
    method: String, host: String = "", path: String, query: [(name: String, value: String)] = [],
    queryText: String = "",
    contentType: String? = nil, body: [UInt8] = [], apiKey: String? = nil, authority: Authority = .none,
    client: ClientInfo, isFromLoopback: Bool = false, now: Instant
  ) {
    self.method = method
    self.host = host
    self.path = path
    self.query = query
    self.queryText = queryText
    self.contentType = contentType
    self.body = body
    self.apiKey = apiKey
    self.authority = authority
    self.client = client
    self.isFromLoopback = isFromLoopback
    self.now = now
  }

  package func parameter(_ name: String) -> String? { query.first { $0.name == name }?.value }
}
