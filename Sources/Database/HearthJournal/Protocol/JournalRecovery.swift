/// The findings and actions when a journal was opened.
public struct JournalRecovery: Sendable, Equatable {
  /// The treatment of damage.
  public enum Mode: Sendable, Equatable {
    /// Cuts off an unfinished commit at the end of the log, which a crash may leave and which was not acknowledged.
    /// Removes a damaged checkpoint when an older one, or a snapshot, and the log replace it. Refuses to open when any
    /// other part is damaged, or when an acknowledged commit is missing.
    case truncateTornTail
    /// Cuts off the log at the first damage. Acknowledged commits after it are lost to the database; the damaged parts
    /// are moved elsewhere, not destroyed.
    case truncateAtFirstDamage
  }

  /// One damaged part.
  public struct Damage: Sendable, Equatable, CustomStringConvertible {
    /// The file, position and byte.
    public var place: JournalError.Place

    /// A description of the damage.
    public var finding: String

    /// True for the remains of a crash in the middle of an append: a commit that was not acknowledged. The server logs
    /// it as a notice, and any other damage as an error.
    public var isUnfinishedCommit = false

    /// The positions that are no longer in the log; nil when they are unknown.
    public var lostPositions: ClosedRange<Int64>?

    /// Creates a description of one damaged part.
    public init(
      place: JournalError.Place, finding: String, isUnfinishedCommit: Bool = false,
      lostPositions: ClosedRange<Int64>? = nil
    ) {
      self.place = place
      self.finding = finding
      self.isUnfinishedCommit = isUnfinishedCommit
      self.lostPositions = lostPositions
    }

    public var description: String {
      var text = finding
      if let file = place.file { text += " [file \(file)]" }
      if let position = place.position { text += " [position \(position)]" }
      if let byteOffset = place.byteOffset { text += " [byte \(byteOffset)]" }
      if let lostPositions {
        text += ": positions \(lostPositions.lowerBound) to \(lostPositions.upperBound) were cut off"
      }
      return text
    }
  }

  /// The position of the current checkpoint or snapshot, or 0 without one; the log is replayed after it.
  public var snapshotPosition: Int64

  /// The last position of the log.
  public var headPosition: Int64

  /// The number of batches after that position, all verified.
  public var batchCount: Int

  /// The parts that were cut off; empty after a clean stop and after a crash between two appends.
  public var damages: [Damage]

  /// Creates the findings of an opening.
  public init(snapshotPosition: Int64, headPosition: Int64, batchCount: Int, damages: [Damage]) {
    self.snapshotPosition = snapshotPosition
    self.headPosition = headPosition
    self.batchCount = batchCount
    self.damages = damages
  }
}
