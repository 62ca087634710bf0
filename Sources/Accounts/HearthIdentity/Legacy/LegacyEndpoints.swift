import HearthAccounts
import HearthTree

/// The interface of 2.x clients, under `/v2/<namespace>/`: the forms of its responses.
struct LegacyEndpoints: Sendable {
  let accounts: Accounts

  /// Answers a request. Errors have status 200 for clients that request it: they cannot read the body of other
  /// responses.
  func answer(
    _ request: LegacyRequest,
    _ perform: @Sendable (Accounts, LegacyRequest) async throws(AccountError) -> Result<JSON, LegacyError>
  ) async -> IdentityResponse {
    if let page = Self.page(request) { return page }
    do throws(AccountError) {
      return Self.response(try await perform(accounts, request), to: request)
    } catch {
      if error.code == .outcomeUnknown, request.callback == nil { return error.response() }
      // An error in the body would end the client's session; this response counts as a bad connection.
      if error.isTransient, request.callback == nil { return .tryAgain }
      let reveals = accounts.configuration.legacyRevealsUnknownUsers
      return Self.response(.failure(LegacyError(error, revealsUnknownUsers: reveals)), to: request)
    }
  }

  /// The response to an unreadable request.
  static func malformed(_ request: IdentityRequest) -> IdentityResponse {
    let wantsStatusOK = request.parameter("suppress_status_codes") == "true"
    return IdentityResponse(
      LegacyError(.invalidArguments, "The request is malformed.").json, status: wantsStatusOK ? 200 : 400)
  }

  static let tokenAdvice =
    "Sign-in by redirect or popup is not supported. Get a token from the provider and use authWithOAuthToken."

  // MARK: Forms of responses

  private static func response(_ result: Result<JSON, LegacyError>, to request: LegacyRequest) -> IdentityResponse {
    let (json, status): (JSON, Int) =
      switch result {
      case .success(let json): (json, 200)
      case .failure(let error): (error.json, request.wantsStatusOK ? 200 : 400)
      }
    var response = IdentityResponse(json, status: status)
    if let callback = request.callback {
      // The comment keeps the callback's name from being the first bytes of the file, which a crafted name could give
      // another meaning.
      response = IdentityResponse(
        status: status, contentType: "application/javascript; charset=utf-8",
        body: Array("/**/\(callback)(".utf8) + script(json) + Array(");".utf8))
    }
    if case .failure(let error) = result { response.problem = error.code.rawValue }
    return response
  }

  /// Returns a value as JavaScript source. JSON allows two line separators in strings that the scripts of older
  /// browsers, which need this form, do not.
  private static func script(_ json: JSON) -> [UInt8] {
    let text = json.text()
    var script: [UInt8] = []
    var rest = text[...]
    while let byte = rest.first {
      if rest.starts(with: [0xE2, 0x80, 0xA8]) || rest.starts(with: [0xE2, 0x80, 0xA9]) {
        script += Array("\\u202".utf8) + [rest[rest.startIndex + 2] == 0xA8 ? UInt8(ascii: "8") : UInt8(ascii: "9")]
        rest = rest.dropFirst(3)
      } else {
        script.append(byte)
        rest = rest.dropFirst()
      }
    }
    return script
  }

  /// The response for a browser window, rather than a script.
  private static func page(_ request: LegacyRequest) -> IdentityResponse? {
    guard request.callback == nil, request.method == "GET" else { return nil }
    let isProvider = request.path.count == 2 && request.path[0] == "auth"
    guard request.path == ["auth", "channel"] || (isProvider && ["popup", "redirect"].contains(request.transport))
    else {
      return nil
    }
    return html("<h1>Sign-in is not available this way</h1><p>\(tokenAdvice)</p>", status: 501)
  }

  private static func html(_ body: String, status: Int) -> IdentityResponse {
    var response = IdentityResponse(
      status: status, contentType: "text/html; charset=utf-8",
      body: Array("<!doctype html><meta charset=\"utf-8\"><title>Sign-in</title>\(body)\n".utf8))
    response.headers = [
      ("Content-Security-Policy", "default-src 'none'; frame-ancestors 'none'"), ("Referrer-Policy", "no-referrer"),
    ]
    return response
  }
}
