import HearthAccounts
import HearthCrypto
import HearthTree

/// Sign-in, tokens, accounts and their administration over HTTP, as client and admin SDKs request them: a request comes
/// in as a value, the accounts execute it, and the response goes out as a value.
package struct IdentityEndpoints: Sendable {
  let directory: AccountsDirectory
  /// The accounts of the server's own project.
  var accounts: Accounts { directory.own }
  /// The database of web apps that name none.
  let defaultNamespace: String
  /// The name of this node in its cluster; nil for a single server.
  private let node: String?

  /// - Parameters:
  ///   - directory: the projects and tenants that requests are about.
  ///   - defaultNamespace: the database of web apps that name none.
  ///   - node: the name of this cluster node; nil for a single server.
  package init(_ directory: AccountsDirectory, defaultNamespace: String = "", node: String? = nil) {
    self.directory = directory
    self.defaultNamespace = defaultNamespace
    self.node = node
  }

  /// Answers a request.
  ///
  /// Never throws and never traps: errors are reported in the protocol's form.
  ///
  /// - Returns: nil when the path does not belong to the identity interface.
  package func handle(_ request: IdentityRequest) async -> IdentityResponse? {
    guard let match = IdentityRouter.match(method: request.method, path: request.path, host: request.host)
    else { return nil }
    return await answer(request, at: match)
  }

  /// Answers a request whose path was looked up before.
  package func answer(_ request: IdentityRequest, at match: IdentityRouter.Match) async -> IdentityResponse {
    do throws(AccountError) {
      let legacyRequest = match.isLegacy ? LegacyRequest(request) : nil
      if match.isLegacy, legacyRequest == nil { return LegacyEndpoints.malformed(request) }
      let taken =
        legacyRequest.map { match.operation(taking: $0.method) } ?? (match.takesMethod ? match.operation : nil)
      guard let operation = taken else { return Self.methodNotAllowed(match.methods) }
      if let refusal = refusal(operation, request) { return refusal }
      switch operation.handler {
      case .unknown: throw AccountError(.notFound)
      case .page(_, let show): return await show(self, request)
      case .legacy(let perform):
        // Only operations of the 2.x interface have such a handler, and for them the request has been parsed.
        guard let legacyRequest else { throw AccountError(.internalError) }
        return await LegacyEndpoints(accounts: accounts).answer(legacyRequest, perform)
      case .published(let body):
        let targetAccounts =
          try match.project.map { id throws(AccountError) in try directory.knownAccounts(of: id) } ?? accounts
        return .published(body(operation.scope == .project ? targetAccounts : accounts))
      case .unserved(let what):
        _ = try match.project.map { id throws(AccountError) in try project(id, for: request) }
        throw AccountError(.notImplemented, "This server does not support \(what).")
      case .answer(let perform):
        return await perform(accounts, try call(request, operation, match))
      case .call(let perform):
        return try await answer(request, operation, match, perform)
      }
    } catch {
      if error == IdentityBody.tooLarge { return error.response(status: 413) }
      if error == IdentityBody.malformed { return error.response(reason: "parseError") }
      return error.response()
    }
  }

  /// The parameter by which an administrator's request asks for the numbers of its revocations, for a command that then
  /// waits for their receipts; any value enables it.
  private static let revocationsParameter = "revocations"
  /// The member of the response that names the cluster node with the receipts.
  private static let revocationsNodeMember = "revocationsNode"

  private func answer(
    _ request: IdentityRequest, _ operation: IdentityOperation, _ match: IdentityRouter.Match,
    _ perform: @escaping @Sendable (Accounts, IdentityCall) async throws(AccountError) -> JSON
  ) async throws(AccountError) -> IdentityResponse {
    let named = try match.project.map { id throws(AccountError) in try project(id, for: request) }
    let call = try call(request, operation, match)
    let targetAccounts: Accounts
    switch operation.scope {
    case .named: targetAccounts = try await target(of: call, in: named)
    case .project: targetAccounts = named ?? accounts
    case .server: targetAccounts = accounts
    case .serverOrTenant:
      targetAccounts =
        try call.text("tenantId").map { id throws(AccountError) in try directory.knownTenant(id) } ?? accounts
    }
    guard call.isOfAdministrator, request.parameter(Self.revocationsParameter) != nil else {
      return IdentityResponse(try await perform(targetAccounts, call))
    }
    let (answer, numbers) = try await RevocationNumbers.collecting { () async throws(AccountError) in
      try await perform(targetAccounts, call)
    }
    guard case .object(let members) = answer else { return IdentityResponse(answer) }
    let list = JSON.array(numbers.map { .int(Int64(clamping: $0)) })
    let place = node.map { [JSON.Member(Self.revocationsNodeMember, .string($0))] } ?? []
    return IdentityResponse(.object(members + [JSON.Member(Self.revocationsParameter, list)] + place))
  }

  private func call(
    _ request: IdentityRequest, _ operation: IdentityOperation, _ match: IdentityRouter.Match
  ) throws(AccountError) -> IdentityCall {
    guard request.body.count <= operation.bodyBytesMax || operation.isOfServer else {
      throw IdentityBody.tooLarge
    }
    var call = IdentityCall(
      body: try IdentityBody.read(request, takesForm: operation.takesForm), authority: request.bearer.authority,
      client: request.client, now: request.now, isFromLoopback: request.isFromLoopback)
    call.apiKey = request.apiKey ?? request.parameter("key")
    call.updateMask = request.parameter("updateMask") ?? request.parameter("update_mask")
    call.pathTenant = match.tenant
    call.configurationID =
      match.configuration ?? request.parameter("oauthIdpConfigId") ?? request.parameter("inboundSamlConfigId")
    return call
  }

  /// The accounts of a project that a request names.
  private func project(_ id: String, for request: IdentityRequest) throws(AccountError) -> Accounts {
    try directory.accounts(
      of: id, mayCreate: Self.mayCreateProject(request.bearer.authority, isFromLoopback: request.isFromLoopback))
  }

  /// Returns true for a request that may create the emulator project or tenant that it names: one of a program or page
  /// on the same machine, or of an administrator. Pages of any site can send requests to a developer's machine, and the
  /// created projects would stay.
  private static func mayCreateProject(_ authority: Authority, isFromLoopback: Bool) -> Bool {
    authority.administratorName != nil || isFromLoopback
  }

  private static func methodNotAllowed(_ methods: String) -> IdentityResponse {
    var response = AccountError(.notFound, "This route supports \(methods).").response(
      reason: "methodNotAllowed", status: 405)
    response.headers.append(("Allow", methods))
    return response
  }

  /// Checks the request against the requirement of its operation, before anything else in the request is evaluated. The identity
  /// interface checks requirements here only.
  ///
  /// - Returns: nil when the request is allowed.
  private func refusal(_ operation: IdentityOperation, _ request: IdentityRequest) -> IdentityResponse? {
    guard operation.requirement != .nothing else { return nil }
    // An invalid bearer token is not treated as a missing one: its client believes to be signed in.
    if request.bearer == .refused { return AccountError(.unauthenticated, "The access token is not valid.").response() }
    let authority = request.bearer.authority
    switch operation.requirement {
    case .nothing: return nil
    case .permission(let permission):
      let needed = operation.lesserPermission?(request.body) ?? permission
      if authority.allows(needed) { return nil }
      guard authority.administratorName != nil else {
        return AccountError(.unauthenticated, "This route needs an access token.").response(reason: "required")
      }
      let text =
        needed.scope == nil
        ? "This request needs the server's own token; a service account is not enough."
        : "The access token's scopes do not cover this."
      return AccountError(.permissionDenied, text).response()
    case .emulator:
      return accounts.configuration.isEmulator && request.isFromLoopback ? nil : AccountError(.notFound).response()
    case .apiKey:
      if authority.allows(.giveAccess) { return nil }
      guard authority.administratorName == nil else { return AccountError(.permissionDenied).response() }
      guard let key = request.apiKey ?? request.parameter("key"), !key.isEmpty else {
        return AccountError(.permissionDenied, "The request is missing a valid API key.").response()
      }
      guard key.utf8.count <= 256, accounts.configuration.apiKeys?.contains(key) ?? true else {
        return AccountError(.apiKeyInvalid, "API key not valid. Please pass a valid API key.").response()
      }
      return nil
    // Requirements of other interfaces, which this interface cannot check.
    case .rules, .consoleSession, .permissionOrEmulator, .ofItsOperations:
      return AccountError(.permissionDenied).response()
    }
  }

  /// Returns the accounts that a call is about: of the tenant in its path or body, of the project that they name, or of
  /// the shown token, code or session.
  ///
  /// - Parameter project: the project in the path; nil for none.
  private func target(of call: IdentityCall, in project: Accounts?) async throws(AccountError) -> Accounts {
    var target = project
    if let id = try call.text("targetProjectId"), !id.isEmpty {
      guard call.isOfAdministrator else {
        throw AccountError(.insufficientPermission, "Only authenticated requests can specify target_project_id.")
      }
      if project == nil { target = try directory.accounts(of: id, mayCreate: true) }
    }
    let tenant = try call.text("tenantId").flatMap { $0.isEmpty ? nil : $0 }
    if let tenant, let pathTenant = call.pathTenant, tenant != pathTenant { throw AccountError(.tenantMismatch) }
    let targetAccounts: Accounts
    if let id = tenant ?? call.pathTenant {
      targetAccounts = try await directory.tenant(
        id, of: target ?? accounts,
        mayCreate: Self.mayCreateProject(call.authority, isFromLoopback: call.isFromLoopback))
      if case .idToken(let token)? = call.presentedSecret, directory.accounts(ofToken: token) !== targetAccounts {
        throw AccountError(.tenantMismatch)
      }
    } else {
      targetAccounts = target ?? directory.accounts(holding: call.presentedSecret)
    }
    guard targetAccounts.settings.tenant?.isDisabled != true || isOperator(call) else {
      throw AccountError(.projectDisabled)
    }
    return targetAccounts
  }

  /// Returns true for the operator and users of the operator's console: an app's administrators do not manage the users
  /// of a disabled tenant. On an emulator every administrator counts as an app's.
  private func isOperator(_ call: IdentityCall) -> Bool {
    !accounts.settings.isEmulator && call.authority.allows(.readServer)
  }
}
