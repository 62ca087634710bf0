import HearthAccounts
import HearthCrypto
import HearthEngine

/// One request to the identity interface, free of HTTP's details.
package struct IdentityRequest: Sendable {
  /// What the request's `Authorization: Bearer` proves.
  package enum Bearer: Sendable, Equatable {
    /// No `Authorization: Bearer`.
    case none
    /// A bearer that was verified; what its holder may do.
    case verified(Authority)
    /// A bearer that means nothing here.
    case refused

    /// What the request's sender may do.
    package var authority: Authority { if case .verified(let authority) = self { authority } else { .signedOut } }
  }

  /// In capitals, as in the request line.
  package var method: String
  /// The value of `Host`, lower-cased, without a port. It selects a set of routes and is used for nothing else.
  package var host: String
  /// Percent-encoded, without the query.
  package var path: String
  /// Decoded, in order.
  package var query: [(name: String, value: String)]
  /// The query as it came.
  package var queryText: String
  /// The value of `Content-Type`; nil without one.
  package var contentType: String?
  /// The whole body; the server has bounded it.
  package var body: [UInt8]
  /// The API key from the query or the header; nil without one.
  package var apiKey: String?
  /// The value of `Cookie`, of a browser that opens a page; nil without one, and for programs.
  package var cookie: String?
  /// Who asks, as far as that is verified.
  package var bearer: Bearer
  /// Address, user agent and language of who asks.
  package var client: ClientInfo
  /// The peer is this machine, and nobody forwarded the request.
  package var isFromLoopback: Bool
  /// The time when the request came: one reading of the clock for all that it causes.
  package var now: Instant

  /// A request; what is left out is empty or absent in it, and proves nothing.
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
