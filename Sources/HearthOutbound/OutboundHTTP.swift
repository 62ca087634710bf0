/// Sends requests to other servers. A protocol, so that tests answer in the other server's place.
public protocol OutboundHTTP: Sendable {
  /// Sends one request and waits for the whole answer, whatever its status. Redirects are answers like others.
  func send(_ request: OutboundRequest) async throws(OutboundError) -> OutboundResponse
}

/// One request to another server.
public struct OutboundRequest: Sendable, Equatable {
  public enum Method: String, Sendable {
    case get = "GET"
    case post = "POST"
    case put = "PUT"
    case patch = "PATCH"
    case delete = "DELETE"
  }

  public var method: Method
  /// `https://host/path?query`, without user information and fragment.
  public var url: String
  /// In this order; `Host` and `Content-Length` are added.
  public var headers: [OutboundHeader]
  public var body: [UInt8]
  /// For everything together: waiting for a free slot, the name, the connection, the answer.
  public var timeoutSeconds: Int
  /// A longer answer is an error; so nobody can fill the memory.
  public var responseSizeBytesMax: Int

  public init(
    method: Method = .get, url: String, headers: [OutboundHeader] = [], body: [UInt8] = [],
    timeoutSeconds: Int = OutboundLimits.timeoutSeconds,
    responseSizeBytesMax: Int = OutboundLimits.responseSizeBytesMax
  ) {
    self.method = method
    self.url = url
    self.headers = headers
    self.body = body
    self.timeoutSeconds = timeoutSeconds
    self.responseSizeBytesMax = responseSizeBytesMax
  }
}

/// A header field of a request or an answer.
public struct OutboundHeader: Sendable, Equatable {
  public var name: String
  public var value: String

  public init(_ name: String, _ value: String) {
    self.name = name
    self.value = value
  }
}

/// Another server's answer.
public struct OutboundResponse: Sendable, Equatable {
  public var status: Int
  public var headers: [OutboundHeader]
  public var body: [UInt8]

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

/// The bounds of what goes out, each with its reason.
public enum OutboundLimits {
  /// Somebody waits for a sign-in meanwhile.
  public static let timeoutSeconds = 5
  /// A longer timeout is taken for this one: a thread must come back.
  public static let timeoutSecondsMax = 600
  /// Key sets and profiles take some kilobytes.
  public static let responseSizeBytesMax = 262_144
  /// Bytes of all header lines of an answer.
  public static let headersSizeBytesMax = 65_536
  /// Transfers at once. Each blocks a thread, mostly in waiting.
  public static let slots = 8
  /// Transfers that wait for a slot; more are refused at once, since they would time out anyway.
  public static let queueMax = 256
}
