import HearthRules
import HearthTree

/// One decision of the rules with all its inputs, so that other rules can decide the same request.
///
/// It retains the version of the whole database that the rules read, so consumers must release it soon. It is a class
/// because copies of so many members would be expensive.
public final class RecordedDecision: Sendable {
  /// The requested operation.
  public enum Operation: String, Sendable, CaseIterable {
    /// A listen, with or without a query, or a stream.
    case listen
    /// A live listen that is decided again, after a change of data, identity, rules or time.
    case listenAgain = "listen decided again"
    /// A one-time read.
    case get
    /// A read over REST.
    case read
    /// A comparison of the present data with a write's expected data: the first half of a transaction.
    case compare
    /// A write of one location.
    case set
    /// A write of several locations at once.
    case update
    /// An on-disconnect write when it is set.
    case onDisconnect = "on disconnect"
    /// An on-disconnect write when it is executed.
    case atDisconnect = "at disconnect"
  }

  /// The requested operation.
  public let operation: Operation
  /// The request as the rules evaluate it.
  public let request: RulesRequest
  /// The deciding rules.
  public let rules: RuleSet
  /// True when the rules allowed it.
  public let isAllowed: Bool
  /// The user ID of the caller; nil for a signed-out client.
  public let uid: String?
  /// The approximate bytes of memory that may be retained by this decision alone.
  public let sizeBytes: Int

  /// Creates a decision.
  public init(
    operation: Operation, request: RulesRequest, rules: RuleSet, isAllowed: Bool, uid: String?, sizeBytes: Int = 0
  ) {
    self.operation = operation
    self.request = request
    self.rules = rules
    self.isAllowed = isAllowed
    self.uid = uid
    self.sizeBytes = sizeBytes
  }

  /// The `now` of the rules.
  public var nowMilliseconds: Int64 {
    switch request {
    case .read(let request): request.nowMilliseconds
    case .write(let request): request.nowMilliseconds
    }
  }
}

/// The decisions of a batch.
public struct RecordedDecisions: Sendable {
  /// The recorded decisions in order; empty when they are only counted.
  public var cases: [RecordedDecision] = []
  /// The number of allowed requests.
  public var allowedCount = 0
  /// The number of denied requests, without cancelled listens.
  public var deniedCount = 0
  /// The number of cancelled listens.
  public var cancelledCount = 0
  /// The number of decisions that are counted but not in ``cases``.
  public var unrecordedCount = 0
  /// The approximate bytes that the batch replaced, which an earlier version of the tree retains.
  public var replacedBytes = 0

  /// Creates an empty list.
  public init() {}

  /// Creates a list of one decision.
  public init(_ decided: RecordedDecision) {
    cases = [decided]
    count(decided.operation, isAllowed: decided.isAllowed)
  }

  /// True when there was no decision and no replaced data.
  public var isEmpty: Bool { allowedCount + deniedCount + cancelledCount == 0 && replacedBytes == 0 }

  /// Counts one decision, or removes one.
  mutating func count(_ operation: RecordedDecision.Operation, isAllowed: Bool, by change: Int = 1) {
    switch (isAllowed, operation) {
    case (true, _): allowedCount += change
    case (false, .listenAgain): cancelledCount += change
    case (false, _): deniedCount += change
    }
  }
}
