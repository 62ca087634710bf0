import HearthAccounts
import HearthTree

extension AccountError {
  /// The HTTP status, the reason for older clients, and the status text for newer ones.
  private var httpForm: (status: Int, reason: String, word: String?) {
    switch code {
    case .permissionDenied: (403, "forbidden", "PERMISSION_DENIED")
    case .unauthenticated: (401, "authError", "UNAUTHENTICATED")
    case .apiKeyInvalid: (400, "keyInvalid", "INVALID_ARGUMENT")
    case .notFound: (404, "notFound", "NOT_FOUND")
    case .notImplemented: (501, "notImplemented", "UNIMPLEMENTED")
    case .unavailable: (503, "backendError", "UNAVAILABLE")
    // Client libraries repeat a request by themselves after 500 and 503, but not after this.
    case .outcomeUnknown: (504, "backendError", "DEADLINE_EXCEEDED")
    case .internalError: (500, "internalError", "INTERNAL")
    case .blockingFunctionError where isUndecided: (503, "backendError", "UNAVAILABLE")
    case .invalidArgument: (400, "invalid", "INVALID_ARGUMENT")
    default: (400, "invalid", nil)
    }
  }

  /// The response for an error.
  ///
  /// A failure of the server is no JSON: clients treat a JSON error as a decision about their session and sign out.
  ///
  /// - Parameter reason: replaces the usual one.
  func response(reason: String? = nil, status: Int? = nil) -> IdentityResponse {
    let httpForm = httpForm
    guard code != .unavailable, code != .outcomeUnknown, code != .internalError else {
      let text =
        code == .outcomeUnknown
        ? "The outcome of this request is unknown.\n" : "The server cannot answer at the moment.\n"
      var response = IdentityResponse(
        status: httpForm.status, contentType: "text/plain; charset=utf-8", body: Array(text.utf8))
      if code == .unavailable { response.headers = [("Retry-After", "5")] }
      response.problem = code.rawValue
      return response
    }
    var detail = ReplyObject()
    detail.set("message", message)
    detail.set("reason", reason ?? httpForm.reason)
    detail.set("domain", "global")
    var error = ReplyObject()
    error.set("code", .int(Int64(status ?? httpForm.status)))
    error.set("message", message)
    error.set("errors", list: [detail.json])
    error.set("status", httpForm.word)
    var response = IdentityResponse(.object([JSON.Member("error", error.json)]), status: status ?? httpForm.status)
    response.isPassedToApps = code == .blockingFunctionError
    response.problem = code.rawValue
    return response
  }
}
