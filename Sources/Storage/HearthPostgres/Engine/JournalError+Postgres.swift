import HearthJournal

extension JournalError {
  /// Translates an error of the PostgreSQL server.
  init(_ fault: PostgresFault, action: String, _ address: PostgresAddress) {
    let code: Code =
      switch fault.state.prefix(2) {
      case "53": fault.state == "53100" ? .noSpace : .inputOutput
      case "28": .permissionDenied
      case "54": .tooLarge
      case "XX": fault.state == "XX000" ? .inputOutput : .corrupt
      default: fault.state == "42501" ? .permissionDenied : fault.state == "08P01" ? .notAJournal : .inputOutput
      }
    let advice =
      switch code {
      case .noSpace: "PostgreSQL is full; nothing was written"
      case .permissionDenied: "PostgreSQL denied the permission"
      case .tooLarge: "the value exceeds a limit of PostgreSQL"
      case .corrupt: "PostgreSQL reports damaged data"
      default: "PostgreSQL returned an error"
      }
    self.init(code, "\(action) failed: \(advice) (\(address))", cause: fault.description)
  }

  /// Returns the error for a PostgreSQL server that did not answer, or answered with a temporary error.
  static func unreachable(_ action: String, _ address: PostgresAddress, _ text: String) -> JournalError {
    JournalError(.unavailable, "\(action) failed: no answer from \(address)", cause: text)
  }
}
