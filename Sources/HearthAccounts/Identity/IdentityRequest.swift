import HearthEngine
import HearthTree

/// One request to the identity interface, free of HTTP's details.
public struct IdentityRequest: Sendable {
  public enum Authority: Sendable, Equatable {
    /// No `Authorization: Bearer`.
    case none
    /// A bearer that was verified to be an administrator's; the text names it for the audit trail.
    case administrator(String)
    /// A bearer that means nothing here.
    case refused
  }

  public var method: String
  /// The value of `Host`, lower-cased, without a port. It selects a set of routes and is used for nothing else.
  public var host: String
  /// Percent-encoded, without the query.
  public var path: String
  /// Decoded, in order.
  public var query: [(name: String, value: String)]
  public var contentType: String?
  public var body: [UInt8]
  public var apiKey: String?
  public var authority: Authority
  public var client: ClientInfo
  /// The peer is this machine, and nobody forwarded the request.
  public var isFromLoopback: Bool
  public var now: Instant

  public init(
    method: String, host: String = "", path: String, query: [(name: String, value: String)] = [],
    contentType: String? = nil, body: [UInt8] = [], apiKey: String? = nil, authority: Authority = .none,
    client: ClientInfo, isFromLoopback: Bool = false, now: Instant
  ) {
    self.method = method
    self.host = host
    self.path = path
    self.query = query
    self.contentType = contentType
    self.body = body
    self.apiKey = apiKey
    self.authority = authority
    self.client = client
    self.isFromLoopback = isFromLoopback
    self.now = now
  }

  public func parameter(_ name: String) -> String? { query.first { $0.name == name }?.value }
}

/// The answer to an ``IdentityRequest``. The server adds what every answer of the interface carries.
public struct IdentityResponse: Sendable {
  public var status: Int
  public var contentType: String
  public var body: [UInt8]
  /// `no-store` unless the answer may be kept.
  public var cacheControl = "no-store"
  public var headers: [(name: String, value: String)] = []

  public init(status: Int = 200, contentType: String = "application/json; charset=utf-8", body: [UInt8]) {
    self.status = status
    self.contentType = contentType
    self.body = body
  }

  public init(_ json: JSON, status: Int = 200) {
    self.init(status: status, body: json.text())
  }
}
