import HearthPlugin

/// A sign-in provider in a plugin's process.
struct PluginSignIn: SignInProvider {
  let handle: PluginHandle
  let manifest: ProviderManifest

  func answer(_ request: SignInRequest) async throws -> SignInAnswer {
    let answer: SignInAnswer = try await handle.ask(.exchange, request)
    switch answer {
    case .identity, .user, .refused: return answer
    case .anonymous, .password, .emailCode:
      throw handle.failed(.exchange, "returned a result that only built-in providers may return", .badAnswer)
    }
  }
}
