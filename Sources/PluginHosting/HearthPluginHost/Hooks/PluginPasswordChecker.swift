import HearthPlugin

/// A plugin's process that knows another system's passwords.
struct PluginPasswordChecker: PasswordChecker {
  let handle: PluginHandle

  var name: String { handle.name }

  func check(_ question: PasswordCheck) async throws -> PasswordCheckAnswer {
    try await handle.ask(.checkPassword, question)
  }
}

/// In the place of a plugin that is to check passwords and cannot run: lets nobody in.
struct ClosedPasswordChecker: PasswordChecker {
  let name: String

  func check(_ question: PasswordCheck) async throws -> PasswordCheckAnswer { throw HookFailure.unreachable }
}
