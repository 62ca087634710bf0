extension DatabaseNotice {
  /// A line of the log for the operator.
  package struct Line: Sendable {
    /// The severity, lowest first.
    package enum Level: Sendable {
      case debug
      case notice
      case warning
      case error
      case critical
    }

    /// The severity.
    package var level: Level
    /// The sentence, without the database's name.
    package var text: String
    /// The names and values that belong to it.
    package var details: KeyValuePairs<String, String> = [:]
  }

  /// The notice as a line of the log.
  package var line: Line {
    switch self {
    case .stalled(let error):
      let cause =
        switch error.code {
        case .unavailable: "the storage does not answer: writes are refused until it does"
        case .diskFault: "the disk reports errors: writes are refused until it works again"
        default: "the disk is full: writes are refused until you free space"
        }
      return Line(level: .error, text: cause + "; writes in progress wait", details: ["error": "\(error)"])
    case .resumed(let milliseconds):
      return Line(
        level: .notice, text: "the journal works again: all waiting writes are stored",
        details: ["milliseconds": "\(milliseconds)"])
    case .halted(let error):
      return Line(
        level: .critical, text: "the journal failed: the database refuses writes until you restart the server",
        details: ["error": "\(error)"])
    case .snapshotWritten(let position, let sizeBytes):
      return Line(
        level: .debug, text: "snapshot written", details: ["position": "\(position)", "bytes": "\(sizeBytes)"])
    case .checkpointWritten(let position, let pageCount, let sizeBytes):
      return Line(
        level: .debug, text: "checkpoint written",
        details: ["position": "\(position)", "pages": "\(pageCount)", "bytes": "\(sizeBytes)"])
    case .cleaningBegun(let deadBytes):
      return Line(level: .debug, text: "cleaning of page files begins", details: ["dead": "\(deadBytes)"])
    case .cleaningEnded(let removedBytes, let storedBytes, let milliseconds):
      return Line(
        level: milliseconds >= 10_000 ? .notice : .debug, text: "cleaning of page files is complete",
        details: ["removed": "\(removedBytes)", "stored": "\(storedBytes)", "milliseconds": "\(milliseconds)"])
    case .cleaningDelayed:
      return Line(
        level: .warning,
        text: "cleaning of page files waits for a client that reads an old version, such as a download")
    case .cleaningFailed(let error):
      return Line(
        level: .warning, text: "cleaning of page files ended early, and is repeated later",
        details: ["error": "\(error)"])
    case .pageUnreadable(let error, let path):
      let place = path.map { " at \($0)" } ?? ""
      return Line(
        level: .error, text: "a page cannot be read: requests that need it\(place) fail",
        details: ["error": "\(error)", "file": error.place.file ?? ""])
    case .conversionBegun(let sizeBytes, let availableBytes):
      return Line(
        level: .notice,
        text: "its data moves to page files, which earlier versions cannot read: only a backup leads back",
        details: ["bytes": "\(sizeBytes)", "available": "\(availableBytes)"])
    case .conversionRefused(let neededBytes, let availableBytes):
      return Line(
        level: .warning, text: "too little disk space to move its data to page files: all of it is in memory",
        details: ["needed": "\(neededBytes)", "available": "\(availableBytes)"])
    case .snapshotFailed(let error):
      return Line(level: .error, text: "snapshot failed", details: ["error": "\(error)"])
    case .snapshotTooLarge(let roomBytes):
      return Line(
        level: .warning,
        text: "too little disk space for a snapshot: the log keeps growing, and a restart takes longer",
        details: ["room": "\(roomBytes)"])
    case .historyShortened(let position, let sizeBytesMax):
      return Line(
        level: .warning, text: "history is shorter than configured, because it reached its size limit",
        details: ["oldest": "\(position)", "bytes": "\(sizeBytesMax)"])
    case .pruningFailed(let error):
      return Line(level: .error, text: "old history could not be removed", details: ["error": "\(error)"])
    case .closeFailed(let error):
      return Line(level: .error, text: "the journal could not be closed", details: ["error": "\(error)"])
    }
  }
}
