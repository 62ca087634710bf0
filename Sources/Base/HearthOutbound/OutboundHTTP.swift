/// Sends requests to other servers. A protocol, so that tests answer in the other server's place.
public protocol OutboundHTTP: Sendable {
  /// Sends one request and waits for the whole answer, whatever its status. Redirects are answers like others.
  func send(_ request: OutboundRequest) async throws(OutboundError) -> OutboundResponse
}

/// One request to another server.
public struct OutboundRequest: Sendable, Equatable {
  /// The methods that are ever sent.
  public enum Method: String, Sendable {
    /// Reads; without a body.
    case get = "GET"
    /// Has the body processed.
    case post = "POST"
    /// Replaces the resource by the body.
    case put = "PUT"
    /// Changes the resource by the body.
    case patch = "PATCH"
    /// Deletes the resource.
    case delete = "DELETE"
  }

  /// The request's method.
  public var method: Method
  /// `https://host/path?query`, without user information and fragment.
  public var url: String
  /// The header fields, in the order in which they are sent; `Host` and `Content-Length` are added.
  public var headers: [OutboundHeader]
  /// The body, sent whole; empty for a request without one.
  public var body: [UInt8]
  /// The time for all of it: waiting for a free slot, name resolution, the connection, the answer.
  public var timeoutMilliseconds: Int64
  /// The size limit of the answer: a longer one is an error, so that no server can fill the memory.
  public var responseSizeBytesMax: Int
  /// True to drop the rest of an answer that is over the limit, instead of failing.
  public var truncatesResponse = false
  /// Seconds for the connection alone, when they are fewer than all.
  public var connectTimeoutSeconds: Int?

  /// A request with the usual limits, by GET unless another method is given.
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

  /// A field of that name and value; checked when a request with it is sent.
  public init(_ name: String, _ value: String) {
    self.name = name
    self.value = value
  }
}

/// The answer of another server.
public struct OutboundResponse: Sendable, Equatable {
  /// Any three-digit status, redirects and errors included.
  public var status: Int
  /// The header fields, in the order in which they came.
  public var headers: [OutboundHeader]
  /// The body as received, without decompression.
  public var body: [UInt8]

  /// An answer, for tests that stand in the other server's place.
  public init(status: Int, headers: [OutboundHeader] = [], body: [UInt8] = []) {
    self.status = status
    self.headers = headers
    self.body = body
  }

  /// The value of the first header of that name, which is compared without regard to ASCII case.
  public func header(_ name: String) -> String? {
    let name = name.lowercased()
    return headers.first { $0.name.lowercased() == name }?.value
  }
}

/// The bounds of outbound requests, each with its reason.
public enum OutboundLimits {
  /// The usual time for a request: a user waits for a sign-in meanwhile.
  public static let timeoutSeconds = 5
  /// The maximum for any request's timeout; longer ones are shortened, since the thread must become free again.
  public static let timeoutSecondsMax = 600
  /// The usual size limit of answers: key sets and profiles take some kilobytes.
  public static let responseSizeBytesMax = 262_144
  /// Bytes of all header lines of an answer.
  public static let headersSizeBytesMax = 65_536
  /// Transfers at once. Each blocks a thread, mostly in waiting.
  public static let slots = 8
  /// Transfers that wait for a slot; more are refused at once, since they would time out anyway.
  public static let queueMax = 256
}
