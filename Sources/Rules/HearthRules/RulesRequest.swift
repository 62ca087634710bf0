import HearthTree

/// One thing that rules are asked: a read or a write.
public enum RulesRequest: Sendable {
  /// A listen, a `get` or a REST read.
  case read(ReadRequest)
  /// A put, an update or a delete.
  case write(WriteRequest)
}

extension RuleSet {
  /// Returns true when the rules let this happen: ``decideRead(_:detail:)`` or ``decideWrite(_:detail:)``.
  public func decide(_ request: RulesRequest, detail: DecisionDetail = []) -> Decision {
    switch request {
    case .read(let request): decideRead(request, detail: detail)
    case .write(let request): decideWrite(request, detail: detail)
    }
  }

  /// Returns the reason why the rules do not let this happen; nil when they do.
  public func refusal(of request: RulesRequest) -> Decision? {
    switch request {
    case .read(let request): refusal(of: request)
    case .write(let request): refusal(of: request)
    }
  }
}

/// A request that was denied, and the rules that denied it: all that is needed to decide it again. It holds on to the
/// whole database of that moment, so it is to be let go of soon; ``recorded()`` keeps what matters.
package final class DeniedRequest: Sendable {
  /// The rules of that moment.
  package let rules: RuleSet
  /// What they were asked.
  package let request: RulesRequest

  init(rules: RuleSet, request: RulesRequest) {
    self.rules = rules
    self.request = request
  }

  /// The same decision, with all that led to it: decides once more. Nil when that takes more than
  /// ``RulesLimits/explainStepsMax``.
  package func explained() -> Decision? {
    rules.withExpressions.traced(request, stepsMax: RulesLimits.explainStepsMax)
  }

  /// What of it needs to be kept to decide it again; nil when that is too much.
  package func recorded() -> RecordedRequest? { RecordedRequest(self) }
}
