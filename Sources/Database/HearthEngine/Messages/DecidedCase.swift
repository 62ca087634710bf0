import HearthRules
import HearthTree

/// One decision of the rules, with all that it was made from: other rules can be asked the same.
///
/// It holds on to the whole database of that moment, so it is to be let go of soon. It is handed on many times, as one
/// reference.
public final class DecidedCase: Sendable {
  /// What the rules were asked about.
  public enum Operation: String, Sendable, CaseIterable {
    /// A listen, with or without a query; a stream is one too.
    case listen
    /// A listen that is there already: its data, its identity or the time is another.
    case listenAgain = "listen decided again"
    /// A one-shot read.
    case get
    /// A read over REST.
    case read
    /// True when a place holds what a write expects: the first half of a transaction.
    case compare
    /// A write of one place.
    case set
    /// A write of several places at once.
    case update
    /// A change that is to be made when the connection ends.
    case onDisconnect = "on disconnect"
    /// Such a change as it is made.
    case atDisconnect = "at disconnect"
  }

  /// What was asked about.
  public let operation: Operation
  /// What the rules saw.
  public let request: RulesRequest
  /// The rules that were asked.
  public let rules: RuleSet
  /// What they answered.
  public let isAllowed: Bool
  /// Of whoever asked; nil for somebody who is signed out.
  public let uid: String?
  /// What it holds in memory that nothing else may hold: about so many bytes.
  public let sizeBytes: Int

  /// A decision of these parts.
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

  /// What rules saw as `now`.
  public var nowMilliseconds: Int64 {
    switch request {
    case .read(let request): request.nowMilliseconds
    case .write(let request): request.nowMilliseconds
    }
  }
}

/// The decisions of a batch.
public struct DecidedCases: Sendable {
  /// As many of them as are kept, in order. Empty when they are only counted.
  public var cases: [DecidedCase] = []
  /// How many were allowed.
  public var allowedCount = 0
  /// How many were denied, listens that were cancelled not among them.
  public var deniedCount = 0
  /// The number of listens that were cancelled.
  public var cancelledCount = 0
  /// Those that are not in ``cases``.
  public var unkeptCount = 0
  /// What the batch replaced: a version of the tree from before it holds about so many bytes more.
  public var replacedBytes = 0

  /// None.
  public init() {}

  /// One.
  public init(_ decided: DecidedCase) {
    cases = [decided]
    count(decided.operation, isAllowed: decided.isAllowed)
  }

  /// Nothing was decided, and nothing was replaced.
  public var isEmpty: Bool { allowedCount + deniedCount + cancelledCount == 0 && replacedBytes == 0 }

  /// Counts one decision, or takes one back.
  mutating func count(_ operation: DecidedCase.Operation, isAllowed: Bool, by change: Int = 1) {
    switch (isAllowed, operation) {
    case (true, _): allowedCount += change
    case (false, .listenAgain): cancelledCount += change
    case (false, _): deniedCount += change
    }
  }
}
