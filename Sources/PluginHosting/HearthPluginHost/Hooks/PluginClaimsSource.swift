import HearthPlugin

/// A claims source in a plugin's process.
struct PluginClaimsSource: ClaimsSource {
  let handle: PluginHandle

  var name: String { handle.name }

  func claims(for request: ClaimsRequest) async throws -> ClaimsAnswer {
    try await handle.ask(.customClaims, request, of: request.user.uid)
  }
}

/// A stand-in for a claims plugin that is switched on and cannot run: no token is made.
struct ClosedClaimsSource: ClaimsSource {
  let name: String

  func claims(for request: ClaimsRequest) async throws -> ClaimsAnswer { throw HookFailure.unreachable }
}
