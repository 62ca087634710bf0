import HearthPlugin

/// A client that calls functions over HTTP.
package protocol FunctionCaller: Sendable {
  /// Posts a JSON body to a URL that an administrator named: once, without following redirects, for at most 7 seconds
  /// and an answer of 64 KiB.
  ///
  /// - Parameter allowsPrivate: the URL may lead to any address, also in clear. Otherwise it leads to a public address
  ///   by HTTPS, or names this machine.
  /// - Returns: the answer, whatever its status.
  /// - Throws: why there is none. An address that is not admitted is no function that is unreachable: it refuses
  ///   always.
  func call(_ url: String, allowsPrivate: Bool, body: [UInt8]) async throws(HookFailure) -> FunctionAnswer
}

/// A function's response.
package struct FunctionAnswer: Sendable, Equatable {
  /// Any three-digit status.
  package var status: Int
  /// The body, unparsed.
  package var body: [UInt8]

  /// An answer of that status.
  package init(status: Int, body: [UInt8]) {
    self.status = status
    self.body = body
  }
}
