import HearthEngine
import HearthJournal

/// The state of a database's operation.
public enum DatabaseStatus: Sendable, Equatable {
  /// The database accepts commands.
  case running
  /// See ``DatabaseNotice/stalled(_:)``.
  case stalled(JournalError)
  /// See ``DatabaseNotice/halted(_:)``.
  case halted(JournalError)
  /// ``Database/close()`` was called.
  case closed
}

extension DatabaseStatus {
  /// The failure that answers changes while the database cannot store them.
  var refusal: Failure {
    guard case .stalled(let error) = self else { return .noSpace }
    return switch error.code {
    case .unavailable: .storageUnavailable
    case .diskFault: .diskFault
    default: .noSpace
    }
  }
}
