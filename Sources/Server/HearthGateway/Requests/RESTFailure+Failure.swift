import HearthEngine

extension RESTFailure {
  /// The retry interval for a full disk.
  private static let noSpaceRetrySeconds = 5

  /// The retry interval for clients that are refused a connection.
  private static let crowdedRetrySeconds = 5

  /// Returns the refusal of a write because the disk is full; the write was not carried out.
  static func noSpace(_ text: String) -> RESTFailure {
    var failure = RESTFailure(503, text)
    failure.retryAfterSeconds = noSpaceRetrySeconds
    return failure
  }

  /// Creates the response to the engine's failure. The engine's texts are made for clients.
  init(_ failure: Failure) {
    switch failure.code {
    case .permissionDenied: self = .permissionDenied
    case .invalidPath: self = .invalidPath
    case .invalidData, .writeTooBig, .indexNotDefined: self.init(400, failure.message)
    case .unavailable: self = .unavailable
    case .noSpace: self = .noSpace(failure.message)
    // Client libraries repeat a request by themselves after 500 and 503, and not after this.
    case .outcomeUnknown: self.init(504, failure.message)
    // Other clients use the capacity; a retry can succeed when some of them have disconnected.
    case .tooManyListens, .tooManyOnDisconnects:
      self.init(503, failure.message)
      retryAfterSeconds = Self.crowdedRetrySeconds
    case .unknownConnection: self.init(500, failure.message)
    }
  }
}
