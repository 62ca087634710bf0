import HearthAccounts
import HearthCrypto
import HearthEngine

/// A request to the identity interface, free of HTTP's details.
package struct IdentityRequest: Sendable {
  /// The verified content of the request's `Authorization: Bearer`.
  package enum Bearer: Sendable, Equatable {
    /// The request has no `Authorization: Bearer`.
    case none
    /// A verified bearer, with its holder's permissions.
    case verified(Authority)
    /// An invalid bearer.
    case refused

    /// The sender's permissions.
    package var authority: Authority { if case .verified(let authority) = self { authority } else { .signedOut } }
  }

  /// The method in capitals, as in the request line.
  package var method: String
  /// The value of `Host`, lower-cased, without a port. It selects a set of routes and is used for nothing else.
  package var host: String
  /// The path, percent-encoded, without the query.
  package var path: String
  /// The decoded query, in order.
  package var query: [(name: String, value: String)]
  /// The query, undecoded.
  package var queryText: String
  /// The value of `Content-Type`; nil without one.
  package var contentType: String?
  /// The whole body; the server has limited its size.
  package var body: [UInt8]
  /// The API key from the query or the header; nil without one.
  package var apiKey: String?
  /// The value of `Cookie`, of a browser that opens a page; nil without one, and for programs.
  package var cookie: String?
  /// The sender, as far as it is verified.
  package var bearer: Bearer
  /// The address, user agent and language of the sender.
  package var client: ClientInfo
  /// True when the peer is this machine, and no proxy forwarded the request.
  package var isFromLoopback: Bool
  /// The time of the request: one reading of the clock for all its effects.
  package var now: Instant

  /// Creates a request; omitted values are empty or absent, and prove nothing.
  package init(
    method: String, host: String = "", path: String, query: [(name: String, value: String)] = [],
    queryText: String = "",
    contentType: String? = nil, body: [UInt8] = [], apiKey: String? = nil, bearer: Bearer = .none,
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
    self.bearer = bearer
    self.client = client
    self.isFromLoopback = isFromLoopback
    self.now = now
  }

  /// The first query parameter of that name; nil when there is none.
  package func parameter(_ name: String) -> String? { query.first { $0.name == name }?.value }
}
