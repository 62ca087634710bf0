import HearthConsole
import HearthCrypto

extension ConsoleSession {
  /// The session's current authority.
  var authority: Authority {
    switch role {
    case .viewer: .consoleViewer(session: id)
    case .administrator: .consoleAdministrator(session: id, isPresent: isPresent)
    }
  }

  /// Checks the session against a permission. The console checks permissions here only.
  ///
  /// - Throws: the refusal for the page.
  func require(_ permission: Permission) throws(ConsoleFailure) {
    switch authority.verdict(on: permission) {
    case .granted: return
    case .needsPresence: throw .presence
    case .refused: throw .readOnly
    }
  }
}
