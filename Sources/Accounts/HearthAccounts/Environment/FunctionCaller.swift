import HearthPlugin

/// A client that calls functions over HTTP.
package protocol FunctionCaller: Sendable {
  /// Posts a JSON body to a URL that an administrator named: once, without following redirects, for at most 7 seconds
  /// and an answer of 64 KiB.
  ///
  /// - Parameter allowsPrivate: true when the URL may lead to any address, also without TLS. Otherwise it must lead to
  ///   a public address by HTTPS, or name this machine.
  /// - Returns: the response with any status.
  /// - Throws: the reason for a missing response. A forbidden address does not count as an unreachable function: it
  ///   always refuses.
  func call(_ url: String, allowsPrivate: Bool, body: [UInt8]) async throws(HookFailure) -> FunctionAnswer
}

/// A function's response.
package struct FunctionAnswer: Sendable, Equatable {
  /// The status code, with three digits.
  package var status: Int
  /// The body, unparsed.
  package var body: [UInt8]

  /// Creates a response.
  package init(status: Int, body: [UInt8]) {
    self.status = status
    self.body = body
  }
}
