import HearthRules
import HearthTree

/// The result of deciding listens again, with the cancelled ones: the engine's part of a revocation receipt.
public struct Redecision: Sendable {
  /// A listen that lost its permission.
  public struct Cancelled: Sendable {
    /// The denial, with the connection, the path and the rules' decision.
    public var denial: Denial
    /// The connection's tag for a listen with a query; nil for one without.
    public var tag: Int32?
    /// The user ID of the listener; nil when it is signed out.
    public var uid: String?
    /// The last commit that this listen has received.
    public var lastPosition: Int64

    /// The connection of the listen.
    public var connection: ConnectionID { denial.connection }
    /// The name of the listen within its connection.
    public var name: ListenName { ListenName(path: denial.path, tag: tag) }
  }

  /// A listen that continues.
  public struct Kept: Sendable {
    /// The connection of the listen.
    public var connection: ConnectionID
    /// The path of the listen.
    public var path: Path
    /// The query for the rules; nil for a listen without one, or when the rules do not read it.
    public var query: Query?
    /// The query that the rules evaluate; nil for a listen without one, or when the rules do not read it.
    public var uid: String?
    /// The rule that allows the listen; nil when no rule is evaluated for its reads.
    public var rule: RuleReference?
  }

  /// The most continuing listens in a report.
  public static let keptReportedMax = 20

  /// The serial number, which grows with every redecision of a database.
  public var serial: UInt64
  /// The reason for the redecision.
  public var cause: Cancellation
  /// The position of the commit that is the cause; for other causes, that of the last commit before it.
  public var position: Int64
  /// The revocation that this is part of; nil when there is none.
  public var revocation: UInt64?
  /// The time when the cause was decided.
  public var instant: Instant
  /// The connection whose identity changed; nil for other causes.
  public var connection: ConnectionID?
  /// The number of listens that were decided.
  public var examinedCount: Int
  /// The listens that the rules no longer allow.
  public var cancelled: [Cancelled]
  /// The first of the listens that continue, at most ``keptReportedMax``.
  public var kept: [Kept] = []

  /// True for the first part. A long redecision is reported in parts, each with its own listens.
  public var isFirst = true
  /// True for the last part.
  public var isLast = true

  /// The number of listens that continue.
  public var keptCount: Int { examinedCount - cancelled.count }
}

extension Cancellation {
  /// The commit that is the cause; nil when there is none.
  var position: Int64? {
    switch self {
    case .data(let position), .rules(let position): position
    case .identity, .expiry, .revocation, .clock: nil
    }
  }

  /// Returns true when a redecision with these results gets a receipt. A deploy and a revocation always get one. Writes
  /// and the clock cause redecisions all the time, so these get one only when they cancel listens.
  func hasReceipt(examinedCount: Int, cancelledCount: Int) -> Bool {
    switch self {
    case .data, .clock: cancelledCount > 0
    case .identity, .expiry: examinedCount > 0
    case .rules, .revocation: true
    }
  }
}
