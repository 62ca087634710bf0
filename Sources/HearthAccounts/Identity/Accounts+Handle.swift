import HearthCrypto
import HearthTree

extension Accounts {
  /// Answers a request of the identity interface.
  ///
  /// Never throws and never traps, whatever comes: what is wrong is told in the protocol's own words.
  ///
  /// - Returns: nil when the path is none of ours.
  public func handle(_ request: IdentityRequest) async -> IdentityResponse? {
    guard let route = IdentityRouter.route(path: request.path, host: request.host) else {
      return nil
    }
    do throws(AccountError) {
      if let method = route.method, !Self.isMethod(request.method, method) {
        var response = AccountError(.notFound, "This route takes \(method).").response(
          reason: "methodNotAllowed", status: 405)
        response.headers.append(("Allow", method))
        return response
      }
      return try await answer(route, request)
    } catch {
      if error == IdentityBody.malformed { return error.response(reason: "parseError") }
      return error.response()
    }
  }

  private static func isMethod(_ given: String, _ wanted: String) -> Bool {
    wanted.split(separator: ", ").contains { given == $0 || given == "HEAD" && $0 == "GET" }
  }

  private func answer(_ route: IdentityRoute, _ request: IdentityRequest) async throws(AccountError) -> IdentityResponse
  {
    switch route.operation {
    case .unknown: throw AccountError(.notFound)
    case .legacy: return await legacy(request)
    case .certificates(let kind): return published(keys.certificatesJSON(kind))
    case .keySet(let kind): return published(keys.jwks(kind))
    case .discovery:
      let home = try route.project.map { id throws(AccountError) in try discovered(id) } ?? self
      return published(home.keys.discovery(issuer: publicOrigin))
    default: break
    }
    if let refusal = refusal(route, request) { return refusal }
    let named = try route.project.map { id throws(AccountError) in try accounts(of: id) }
    if case .unserved(let what) = route.operation {
      throw AccountError(.notImplemented, "This server does not serve \(what).")
    }
    let sizeBytesMax = route.operation == .batchCreate ? IdentityBody.importSizeBytesMax : IdentityBody.sizeBytesMax
    guard request.body.count <= sizeBytesMax || isOwnInterface(route) else {
      return AccountError(.invalidArgument, "The request's body is too large.").response(status: 413)
    }
    let takesForm = route.operation == .refresh || route.operation == .serviceAccountToken
    var call = IdentityCall(
      body: try IdentityBody.read(request, takesForm: takesForm), administrator: nil, client: request.client,
      now: request.now, isFromLoopback: request.isFromLoopback)
    if case .administrator(let name) = request.authority { call.administrator = name }
    call.apiKey = request.apiKey ?? request.parameter("key")
    call.pathTenant = route.tenant
    if route.operation == .serviceAccountToken { return await serviceAccountToken(call) }
    let target = isOwnInterface(route) ? self : try self.target(of: call)
    let home = named ?? target ?? holder(of: call)
    return IdentityResponse(
      try await RevocationNumbers.answering(request) { () async throws(AccountError) in
        try await home.perform(route.operation, call)
      })
  }

  private func isOwnInterface(_ route: IdentityRoute) -> Bool {
    if case .administrate = route.operation { true } else { false }
  }

  /// Who may not ask at all.
  private func refusal(_ route: IdentityRoute, _ request: IdentityRequest) -> IdentityResponse? {
    // A bad bearer is not the same as none: the client believes to be somebody.
    if request.authority == .refused, route.access != .everybody {
      return AccountError(.unauthenticated, "The access token is not valid.").response()
    }
    let isAdministrator = if case .administrator = request.authority { true } else { false }
    switch route.access {
    case .everybody: return nil
    case .administrator:
      if isAdministrator { return nil }
      return AccountError(.unauthenticated, "This route needs an access token.").response(reason: "required")
    case .emulator:
      return configuration.isEmulator && request.isFromLoopback ? nil : AccountError(.notFound).response()
    case .client:
      if isAdministrator { return nil }
      guard let key = request.apiKey ?? request.parameter("key"), !key.isEmpty else {
        return AccountError(.permissionDenied, "The request is missing a valid API key.").response()
      }
      guard key.utf8.count <= 256, configuration.apiKeys?.contains(key) ?? true else {
        return AccountError(.apiKeyInvalid, "API key not valid. Please pass a valid API key.").response()
      }
      return nil
    }
  }

  /// The accounts of the project that the body names, if any; tenants are refused.
  private func target(of call: IdentityCall) throws(AccountError) -> Accounts? {
    var target: Accounts?
    if let id = try call.text("targetProjectId"), !id.isEmpty {
      guard call.isAdministrator else {
        throw AccountError(.insufficientPermission, "targetProjectId is for administrators.")
      }
      target = try accounts(of: id)
    }
    let tenant = try call.text("tenantId").flatMap { $0.isEmpty ? nil : $0 }
    if let tenant, let pathTenant = call.pathTenant, tenant != pathTenant { throw AccountError(.tenantMismatch) }
    guard tenant != nil || call.pathTenant != nil else { return target }
    // Our tokens are of no tenant.
    throw AccountError(call.value("idToken") == nil ? .unsupportedTenant : .tenantMismatch)
  }

  private func published(_ body: [UInt8]) -> IdentityResponse {
    var response = IdentityResponse(body: body)
    response.cacheControl = "public, max-age=3600"
    return response
  }

  /// Without a slash at the end.
  var publicOrigin: String {
    configuration.publicURL.hasSuffix("/") ? String(configuration.publicURL.dropLast()) : configuration.publicURL
  }
}

extension AccountsConfiguration {
  /// The project's number, which clients show and compare but never choose: 12 digits that follow from the id.
  var projectNumber: String {
    let digest = Digest(sha256: projectID.utf8).bytes.prefix(8)
    let number = digest.reduce(UInt64(0)) { $0 << 8 | UInt64($1) }
    return String(100_000_000_000 + number % 900_000_000_000)
  }
}
