/// A client for requests to other servers. It is a protocol, so that tests can replace the other server.
public protocol OutboundHTTP: Sendable {
  /// Sends one request and waits for the complete answer, with any status. Redirects are returned as answers.
  func send(_ request: OutboundRequest) async throws(OutboundError) -> OutboundResponse
}

/// One request to another server.
public struct OutboundRequest: Sendable, Equatable {
  /// The supported methods.
  public enum Method: String, Sendable {
    /// `GET`, without a body.
    case get = "GET"
    /// `POST`, with a body.
    case post = "POST"
    /// `PUT`, with a body.
    case put = "PUT"
    /// `PATCH`, with a body.
    case patch = "PATCH"
    /// `DELETE`.
    case delete = "DELETE"
  }

  /// The request's method.
  public var method: Method
  /// `https://host/path?query`, without user information and fragment.
  public var url: String
  /// The header fields, in the order in which they are sent; `Host` and `Content-Length` are added.
  public var headers: [OutboundHeader]
  /// The body; empty for a request without one.
  public var body: [UInt8]
  /// The timeout for the whole request: the wait for a free thread, name resolution, the connection, and the answer.
  public var timeoutMilliseconds: Int64
  /// The size limit of the answer: a longer one is an error, because a server could otherwise fill the memory.
  public var responseSizeBytesMax: Int
  /// True to drop the rest of an answer that is over the limit, instead of failing.
  public var truncatesResponse = false
  /// The timeout for the connection in seconds, if it is shorter than that of the request; nil for no separate timeout.
  public var connectTimeoutSeconds: Int?

  /// Creates a request with the usual limits, by GET unless another method is given.
  public init(
    method: Method = .get, url: String, headers: [OutboundHeader] = [], body: [UInt8] = [],
    timeoutSeconds: Int = OutboundLimits.timeoutSeconds,
    responseSizeBytesMax: Int = OutboundLimits.responseSizeBytesMax
  ) {
    self.method = method
    self.url = url
    self.headers = headers
    self.body = body
    timeoutMilliseconds = Int64(min(max(0, timeoutSeconds), OutboundLimits.timeoutSecondsMax)) * 1_000
    self.responseSizeBytesMax = responseSizeBytesMax
  }
}

/// A header field of a request or an answer.
public struct OutboundHeader: Sendable, Equatable {
  /// The name, compared without regard to ASCII case.
  public var name: String
  /// The value, without line breaks; a request with one is refused.
  public var value: String

  /// Creates a field, which is validated when a request with it is sent.
  public init(_ name: String, _ value: String) {
    self.name = name
    self.value = value
  }
}

/// The answer of another server.
public struct OutboundResponse: Sendable, Equatable {
  /// Any three-digit status, redirects and errors included.
  public var status: Int
  /// The header fields, in the order in which they were received.
  public var headers: [OutboundHeader]
  /// The body as received, without decompression.
  public var body: [UInt8]

  /// Creates an answer, for tests that replace the other server.
  public init(status: Int, headers: [OutboundHeader] = [], body: [UInt8] = []) {
    self.status = status
    self.headers = headers
    self.body = body
  }

  /// Returns the value of the first header with a name, which is compared without regard to ASCII case.
  public func header(_ name: String) -> String? {
    let name = name.lowercased()
    return headers.first { $0.name.lowercased() == name }?.value
  }
}

/// The limits of outbound requests.
public enum OutboundLimits {
  /// The usual time for a request: a user waits for a sign-in meanwhile.
  public static let timeoutSeconds = 5
  /// The maximum for any request's timeout; longer ones are shortened, because a transfer occupies a thread.
  public static let timeoutSecondsMax = 600
  /// The usual size limit of answers: key sets and profiles take some kilobytes.
  public static let responseSizeBytesMax = 262_144
  /// The most bytes of all header lines of an answer.
  public static let headersSizeBytesMax = 65_536
  /// The most transfers at a time. Each blocks a thread, which mostly waits.
  public static let slots = 8
  /// The most transfers that wait for a thread; further ones are refused at once, because they would time out.
  public static let queueMax = 256
}
