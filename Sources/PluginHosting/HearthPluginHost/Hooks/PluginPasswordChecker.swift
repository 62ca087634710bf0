import HearthPlugin

/// A password checker in a plugin's process.
struct PluginPasswordChecker: PasswordChecker {
  let handle: PluginHandle

  var name: String { handle.name }

  func check(_ question: PasswordCheck) async throws -> PasswordCheckAnswer {
    try await handle.ask(.checkPassword, question)
  }
}

/// A stand-in for a password plugin that is switched on and cannot run: it refuses every sign-in.
struct ClosedPasswordChecker: PasswordChecker {
  let name: String

  func check(_ question: PasswordCheck) async throws -> PasswordCheckAnswer { throw HookFailure.unreachable }
}
