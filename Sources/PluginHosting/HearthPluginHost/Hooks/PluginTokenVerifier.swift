import HearthPlugin

/// A plugin's process that says whose the tokens of others are.
struct PluginTokenVerifier: TokenVerifier {
  let handle: PluginHandle
  let selection: TokenSelection
  let revision: String

  var name: String { handle.name }

  func verify(_ question: TokenQuestion) async throws -> TokenAnswer { try await handle.ask(.verifyToken, question) }
}

/// In the place of a plugin that is to verify tokens and cannot run: decides nothing, so that these tokens open nothing.
struct ClosedTokenVerifier: TokenVerifier {
  let name: String
  let selection: TokenSelection

  var revision: String { "closed" }

  func verify(_ question: TokenQuestion) async throws -> TokenAnswer { throw HookFailure.unreachable }
}
