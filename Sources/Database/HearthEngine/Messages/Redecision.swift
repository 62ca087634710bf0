import HearthRules
import HearthTree

/// Listens that were decided again, and which of them are cancelled: the engine's part of a receipt.
public struct Redecision: Sendable {
  /// A listen that lost its permission.
  public struct Cancelled: Sendable {
    /// Whose listen it was, where, and what the rules say now.
    public var denial: Denial
    /// How the connection knows a listen with a query; nil for one without.
    public var tag: Int32?
    /// Of whoever listened.
    public var uid: String?
    /// The last commit that this listen was told of.
    public var lastPosition: Int64

    /// Whose listen it was.
    public var connection: ConnectionID { denial.connection }
    /// Which of the connection's listens.
    public var name: ListenName { ListenName(path: denial.path, tag: tag) }
  }

  /// A listen that goes on.
  public struct Kept: Sendable {
    /// Whose listen it is.
    public var connection: ConnectionID
    /// Where.
    public var path: Path
    /// What the rules were asked about; nil for a listen without a query, or when they see none.
    public var query: Query?
    /// Of whoever listens.
    public var uid: String?
    /// The rule that lets it go on; nil when rules are not asked about what they read.
    public var rule: RuleReference?
  }

  /// So many of the kept are told of.
  public static let keptToldMax = 20

  /// Grows with every redecision of a database.
  public var serial: UInt64
  /// The reason why listens were decided again.
  public var cause: Cancellation
  /// The place where the cause stands in commit order: its own commit, or the last one before it.
  public var position: Int64
  /// The revocation that this is part of.
  public var revocation: UInt64?
  /// The time when the cause was decided.
  public var instant: Instant
  /// Whose identity changed; nil for causes that are nobody's.
  public var connection: ConnectionID?
  /// How many were.
  public var examinedCount: Int
  /// Those that the rules no longer allow.
  public var cancelled: [Cancelled]
  /// The first of the others: ``keptToldMax`` at most.
  public var kept: [Kept] = []

  /// Nothing of it was told before. What takes long is told in parts, each with listens of its own.
  public var isFirst = true
  /// Nothing of it follows.
  public var isLast = true

  /// How many go on.
  public var keptCount: Int { examinedCount - cancelled.count }
}

extension Cancellation {
  /// The commit that is the cause; nil when none is.
  var position: Int64? {
    switch self {
    case .data(let position), .rules(let position): position
    case .identity, .expiry, .revocation, .clock: nil
    }
  }

  /// Returns true when there is a receipt even when no listen was cancelled. Writes and the clock make listens be
  /// decided again all the time, mostly without an effect; a deploy and a revocation always get a receipt.
  func isTold(examinedCount: Int, cancelledCount: Int) -> Bool {
    switch self {
    case .data, .clock: cancelledCount > 0
    case .identity, .expiry: examinedCount > 0
    case .rules, .revocation: true
    }
  }
}
