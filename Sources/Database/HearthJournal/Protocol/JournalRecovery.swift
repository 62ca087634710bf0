/// What opening a journal found and did.
public struct JournalRecovery: Sendable, Equatable {
  /// What to do about damage.
  public enum Mode: Sendable, Equatable {
    /// Cut off what a crash may leave at the end of SQLite's log: a commit that nobody was told of. Refuse to open when
    /// anything else is damaged, or missing although it was acknowledged.
    case truncateTornTail
    /// Cut off at the first damage, wherever it is. Acknowledged commits after it are lost to the database; the damaged
    /// parts are set aside, not destroyed.
    case truncateAtFirstDamage
  }

  /// One damaged spot.
  public struct Damage: Sendable, Equatable, CustomStringConvertible {
    /// The file, position and byte.
    public var place: JournalError.Place

    /// What is wrong there.
    public var finding: String

    /// True when this is what a crash in the middle of an append leaves: a commit that was not acknowledged to anybody.
    /// Such a finding is worth a note in the log; any other one is worth an alarm.
    public var isUnfinishedCommit = false

    /// The positions that are no longer in the log, where they are known.
    public var lostPositions: ClosedRange<Int64>?

    /// A damaged spot.
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

  /// The current snapshot's position, 0 without one; the log is replayed after it.
  public var snapshotPosition: Int64

  /// The last position of the log.
  public var headPosition: Int64

  /// The batches after the snapshot, all verified.
  public var batchCount: Int

  /// What was cut off; empty after a clean stop and after a crash between two appends.
  public var damages: [Damage]

  /// What an opening found.
  public init(snapshotPosition: Int64, headPosition: Int64, batchCount: Int, damages: [Damage]) {
    self.snapshotPosition = snapshotPosition
    self.headPosition = headPosition
    self.batchCount = batchCount
    self.damages = damages
  }
}
