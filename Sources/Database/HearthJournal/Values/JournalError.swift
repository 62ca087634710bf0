/// An error of a journal: a code from a closed list, a message for the operator, the place, and the underlying cause.
///
/// Two errors are equal when their codes are.
public struct JournalError: Error, Sendable, Equatable, CustomStringConvertible {
  /// The closed list of codes. The texts appear in logs and are never renamed.
  public enum Code: String, Sendable, CaseIterable {
    /// The batch does not continue the log, or no batch ends at a snapshot's position.
    case positionMismatch = "position-mismatch"
    /// Another process has become the owner with a newer epoch.
    case staleEpoch = "stale-epoch"
    /// Another process, or another handle in this one, has the journal open.
    case inUse = "in-use"
    /// The disk or the configured size is full. Nothing was written.
    case noSpace = "no-space"
    /// Reading or writing the file failed; after a failed append the outcome is unknown.
    case inputOutput = "input-output"
    /// The storage engine cannot be reached now. The outcome of an append is unknown; the same one may be repeated and
    /// is stored once.
    case unavailable = "unavailable"
    /// The disk refused to read, write or sync. The outcome of an append is unknown; the same one may be repeated and
    /// is stored once. After a failed sync, the journal is reopened and read back before it accepts appends.
    case diskFault = "disk-fault"
    /// An earlier append failed with an unknown outcome; the journal accepts no more until it is reopened.
    case failed = "failed"
    /// The data that was read differs from the data that was written.
    case corrupt = "corrupt"
    /// The file is not a journal.
    case notAJournal = "not-a-journal"
    /// The file was written by a newer version.
    case unsupportedFormat = "unsupported-format"
    /// The process has no permission to open the file or its folder.
    case permissionDenied = "permission-denied"
    /// The requested part of the log was pruned; a snapshot replaces it.
    case pruned = "pruned"
    /// A batch or chunk exceeds its limit, or is invalid.
    case tooLarge = "too-large"
    /// The snapshot was pruned, or abandoned because a later one began.
    case snapshotAbandoned = "snapshot-abandoned"
    /// The storage engine has no checkpoints, or the operation is not available for a journal with checkpoints.
    case unsupported = "unsupported"
    /// The journal was closed.
    case closed = "closed"
  }

  /// The place of an error: the file, the commit position, the byte within that file or payload; each nil when it is
  /// unknown.
  public struct Place: Sendable, Hashable {
    /// The path of the file; nil for a journal without one.
    public var file: String?
    /// The position of the commit; nil when it is unknown.
    public var position: Int64?
    /// The byte within the file, or within the payload at ``position``; nil when it is unknown.
    public var byteOffset: Int?

    /// Creates a place from its known parts.
    public init(file: String? = nil, position: Int64? = nil, byteOffset: Int? = nil) {
      self.file = file
      self.position = position
      self.byteOffset = byteOffset
    }
  }

  /// The code of the error.
  public var code: Code
  /// The message for the operator: the operation, the failure, and possible actions.
  public var message: String
  /// The place of the error.
  public var place: Place
  /// The storage library's own message; nil when there is none.
  public var cause: String?

  /// Creates an error of that code.
  public init(_ code: Code, _ message: String, at place: Place = Place(), cause: String? = nil) {
    self.code = code
    self.message = message
    self.place = place
    self.cause = cause
  }

  /// True when the same owner may repeat the same append after this error, until it succeeds.
  public var isTransient: Bool { code == .noSpace || code == .unavailable || code == .diskFault }

  /// True when, after this error, the written data may or may not be found at the next start.
  public var leavesOutcomeUnknown: Bool {
    switch code {
    case .inputOutput, .unavailable, .diskFault, .corrupt, .notAJournal: true
    default: false
    }
  }

  public static func == (left: JournalError, right: JournalError) -> Bool {
    left.code == right.code
  }

  public var description: String {
    var text = "journal: \(code.rawValue): \(message)"
    if let file = place.file { text += " [file \(file)]" }
    if let position = place.position { text += " [position \(position)]" }
    if let byteOffset = place.byteOffset { text += " [byte \(byteOffset)]" }
    if let cause { text += " (\(cause))" }
    return text
  }
}
