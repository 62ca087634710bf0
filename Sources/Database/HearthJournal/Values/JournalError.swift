/// What went wrong in a journal: a closed code, a message for the operator, the place, and the underlying cause.
///
/// Two errors are equal when their codes are.
public struct JournalError: Error, Sendable, Equatable, CustomStringConvertible {
  /// The closed list of codes. The texts are for logs and are never renamed.
  public enum Code: String, Sendable, CaseIterable {
    /// The batch does not continue the log, or a snapshot position is not where a batch ends.
    case positionMismatch = "position-mismatch"
    /// There is a newer owner.
    case staleEpoch = "stale-epoch"
    /// Another process, or another handle in this one, has the journal open.
    case inUse = "in-use"
    /// The disk or the configured size is full. Nothing was written.
    case noSpace = "no-space"
    /// Reading or writing the file failed; after a failed append nobody knows whether it is durable.
    case inputOutput = "input-output"
    /// The engine cannot be reached now. What became of an append is not known; the same one may be tried again, and is
    /// there once then.
    case unavailable = "unavailable"
    /// The disk refused to read, write or sync. What became of an append is not known; the same one may be tried again, and
    /// is there once then. After a sync that failed, the journal is opened again and read back before it takes it.
    case diskFault = "disk-fault"
    /// An earlier append failed with an unknown outcome; the journal takes no more until it is opened again.
    case failed = "failed"
    /// What was read is not what was written.
    case corrupt = "corrupt"
    /// The file is not a journal.
    case notAJournal = "not-a-journal"
    /// The file was written by a newer version.
    case unsupportedFormat = "unsupported-format"
    /// The file or its folder may not be opened.
    case permissionDenied = "permission-denied"
    /// That part of the log was pruned: a snapshot stands for it.
    case pruned = "pruned"
    /// A batch or chunk is over its limit, or has an impossible shape.
    case tooLarge = "too-large"
    /// The snapshot was replaced, or given up for a later one.
    case snapshotAbandoned = "snapshot-abandoned"
    /// The journal was closed.
    case closed = "closed"
  }

  /// Where: the file, the commit position, the byte within that file or payload; each where known.
  public struct Place: Sendable, Hashable {
    /// The path of the file; nil for a journal without one.
    public var file: String?
    /// The commit.
    public var position: Int64?
    /// The byte within the file, or within the payload at ``position``.
    public var byteOffset: Int?

    /// A place, as far as it is known.
    public init(file: String? = nil, position: Int64? = nil, byteOffset: Int? = nil) {
      self.file = file
      self.position = position
      self.byteOffset = byteOffset
    }
  }

  /// What went wrong.
  public var code: Code
  /// For the operator: what was tried, what happened, what can be done.
  public var message: String
  /// The place where it went wrong.
  public var place: Place
  /// The storage library's own words.
  public var cause: String?

  /// The error of that code.
  public init(_ code: Code, _ message: String, at place: Place = Place(), cause: String? = nil) {
    self.code = code
    self.message = message
    self.place = place
    self.cause = cause
  }

  /// True when the same append may be tried again after this error, by the same owner, for as long as it takes.
  public var isPassing: Bool { code == .noSpace || code == .unavailable || code == .diskFault }

  /// Whether, after this error, what was to be written may or may not be found at the next start.
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
