import HearthPlugin

/// A verifier of foreign tokens in a plugin's process.
struct PluginTokenVerifier: TokenVerifier {
  let handle: PluginHandle
  let selection: TokenSelection
  let revision: String

  var name: String { handle.name }

  func verify(_ question: TokenQuestion) async throws -> TokenAnswer { try await handle.ask(.verifyToken, question) }
}

/// A stand-in for a token plugin that is switched on and cannot run: it fails, so that these tokens give no access.
struct ClosedTokenVerifier: TokenVerifier {
  let name: String
  let selection: TokenSelection

  var revision: String { "closed" }

  func verify(_ question: TokenQuestion) async throws -> TokenAnswer { throw HookFailure.unreachable }
}
