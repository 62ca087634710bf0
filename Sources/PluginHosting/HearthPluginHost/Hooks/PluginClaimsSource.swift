import HearthPlugin

/// A plugin's process that adds claims to tokens.
struct PluginClaimsSource: ClaimsSource {
  let handle: PluginHandle

  var name: String { handle.name }

  func claims(for request: ClaimsRequest) async throws -> ClaimsAnswer {
    try await handle.ask(.customClaims, request, of: request.user.uid)
  }
}

/// In the place of a plugin that is to add claims and cannot run: no token is made.
struct ClosedClaimsSource: ClaimsSource {
  let name: String

  func claims(for request: ClaimsRequest) async throws -> ClaimsAnswer { throw HookFailure.unreachable }
}
