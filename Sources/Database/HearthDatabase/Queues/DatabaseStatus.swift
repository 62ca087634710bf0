import HearthEngine
import HearthJournal

/// True when a database does its work.
public enum DatabaseStatus: Sendable, Equatable {
  /// It takes commands.
  case running
  /// See ``DatabaseNotice/stalled(_:)``.
  case stalled(JournalError)
  /// See ``DatabaseNotice/halted(_:)``.
  case halted(JournalError)
  /// ``Database/close()`` was called.
  case closed
}

extension DatabaseStatus {
  /// What those are told who would change something while it waits to be able to store.
  var refusal: Failure {
    guard case .stalled(let error) = self else { return .noSpace }
    return switch error.code {
    case .unavailable: .storageAway
    case .diskFault: .diskFault
    default: .noSpace
    }
  }
}
