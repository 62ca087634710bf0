import HearthEngine
import HearthTree

/// The interface of clients of the 2.x kind, under `/v2/<namespace>/`.
extension Accounts {
  /// Answers a request of that interface. Errors come with status 200 to clients that ask for it: they cannot read the
  /// body of anything else.
  public func legacy(_ request: IdentityRequest) async -> IdentityResponse {
    guard let asked = LegacyRequest(request) else {
      let wantsStatusOK = request.parameter("suppress_status_codes") == "true"
      return IdentityResponse(
        LegacyError(.invalidArguments, "The request is malformed.").json, status: wantsStatusOK ? 200 : 400)
    }
    if let page = Self.page(asked) { return page }
    do throws(AccountError) {
      return Self.response(try await perform(asked, client: request.client, now: request.now), to: asked)
    } catch {
      if error.code == .outcomeUnknown, asked.callback == nil { return error.response() }
      if error.isTransient, asked.callback == nil {
        // An error in the body would end the session of a client; this one it takes for a bad connection.
        return IdentityResponse(status: 503, contentType: "text/plain; charset=utf-8", body: Array("Try again.\n".utf8))
      }
      let reveals = configuration.legacyRevealsUnknownUsers
      return Self.response(.failure(LegacyError(error, revealsUnknownUsers: reveals)), to: asked)
    }
  }

  private func perform(
    _ asked: LegacyRequest, client: ClientInfo, now: Instant
  ) async throws(AccountError) -> Result<JSON, LegacyError> {
    switch (asked.method, asked.path.count, asked.path[0], asked.path.count > 1 ? asked.path[1] : "") {
    case ("POST", 1, "users", _): return try await createLegacyUser(asked, client: client, now: now)
    case ("DELETE", 2, "users", let email):
      return try await removeLegacyUser(email, asked, client: client, now: now)
    case ("PUT", 3, "users", let email) where asked.path[2] == "password":
      return try await changeLegacyPassword(email, asked, client: client, now: now)
    case ("PUT", 3, "users", let email) where asked.path[2] == "email":
      return try await changeLegacyEmail(email, asked, client: client, now: now)
    case ("POST", 3, "users", let email) where asked.path[2] == "password":
      return try await resetLegacyPassword(email, client: client, now: now)
    case ("GET", 2, "auth", "password"): return try await legacyPasswordSignIn(asked, client: client, now: now)
    case ("GET", 2, "auth", "anonymous"): return try await legacyAnonymousSignIn(client: client, now: now)
    case ("GET", 2, "auth", "session"):
      return .failure(LegacyError(.invalidArguments, "There is no such sign-in under way. \(Self.tokenAdvice)"))
    case ("GET", 3, "auth", let provider) where asked.path[2] == "token":
      return try await legacyProviderSignIn(provider, asked, client: client, now: now)
    default: return .failure(LegacyError(.invalidArguments, "There is no such operation."))
    }
  }

  static let tokenAdvice =
    "Sign-in by redirect or popup is not served here: get a token from the provider and use authWithOAuthToken."

  // MARK: Forms of answers

  private static func response(_ result: Result<JSON, LegacyError>, to asked: LegacyRequest) -> IdentityResponse {
    let (json, status): (JSON, Int) =
      switch result {
      case .success(let json): (json, 200)
      case .failure(let error): (error.json, asked.wantsStatusOK ? 200 : 400)
      }
    guard let callback = asked.callback else { return IdentityResponse(json, status: status) }
    // The comment keeps the name from being the first bytes of the file, which could be made to mean something else.
    return IdentityResponse(
      status: status, contentType: "application/javascript; charset=utf-8",
      body: Array("/**/\(callback)(".utf8) + script(json) + Array(");".utf8))
  }

  /// The text of a value as a script may have it. JSON takes two line separators inside texts that the scripts of older
  /// browsers, which are those that need this form, do not.
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

  /// What a browser window is sent to, rather than a script.
  private static func page(_ asked: LegacyRequest) -> IdentityResponse? {
    guard asked.callback == nil, asked.method == "GET" else { return nil }
    if asked.path == ["blank", "page.html"] { return html("", status: 200) }
    let isProvider = asked.path.count == 2 && asked.path[0] == "auth"
    guard asked.path == ["auth", "channel"] || (isProvider && ["popup", "redirect"].contains(asked.transport)) else {
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
