import HearthConsole
import HearthCrypto

extension ConsoleSession {
  /// What the session may do now.
  var authority: Authority {
    switch role {
    case .viewer: .consoleViewer(session: id)
    case .administrator: .consoleAdministrator(session: id, isPresent: isPresent)
    }
  }

  /// Holds the session against a permission: the one place where the console does.
  ///
  /// - Throws: what the page is told.
  func require(_ permission: Permission) throws(ConsoleFailure) {
    switch authority.verdict(on: permission) {
    case .granted: return
    case .needsPresence: throw .presence
    case .refused: throw .readOnly
    }
  }
}
