import HearthPlugin

/// Asks functions over HTTP.
package protocol FunctionCaller: Sendable {
  /// Posts a JSON body to a URL that the operator named: once, without following redirects, for at most 7 seconds and an
  /// answer of 64 KiB.
  ///
  /// - Returns: the answer, whatever its status.
  /// - Throws: why there is none.
  func call(_ url: String, body: [UInt8]) async throws(HookFailure) -> FunctionAnswer
}

/// What a function answered.
package struct FunctionAnswer: Sendable, Equatable {
  /// Any three-digit status.
  package var status: Int
  /// As it came.
  package var body: [UInt8]

  /// An answer of that status.
  package init(status: Int, body: [UInt8]) {
    self.status = status
    self.body = body
  }
}
