import HearthTree

/// A request to be decided: a read or a write.
public enum RulesRequest: Sendable {
  /// A listen, a `get` or a REST read.
  case read(ReadRequest)
  /// A put, an update or a delete.
  case write(WriteRequest)
}

extension RuleSet {
  /// Decides a request: ``decideRead(_:detail:)`` or ``decideWrite(_:detail:)``.
  public func decide(_ request: RulesRequest, detail: DecisionDetail = []) -> Decision {
    switch request {
    case .read(let request): decideRead(request, detail: detail)
    case .write(let request): decideWrite(request, detail: detail)
    }
  }

  /// Returns the decision that refuses a request; nil when the rules allow it.
  public func refusal(of request: RulesRequest) -> Decision? {
    switch request {
    case .read(let request): refusal(of: request)
    case .write(let request): refusal(of: request)
    }
  }
}

/// A request that was denied, and the rules that denied it: everything needed to decide it again. It keeps the whole
/// database as of the decision alive, so it should be released soon; ``recorded()`` keeps the relevant part.
package final class DeniedRequest: Sendable {
  /// The rules that denied the request.
  package let rules: RuleSet
  /// The request.
  package let request: RulesRequest

  init(rules: RuleSet, request: RulesRequest) {
    self.rules = rules
    self.request = request
  }

  /// Decides the request again, with all details. Returns nil when it takes more than ``RulesLimits/explainStepsMax``
  /// steps.
  package func explained() -> Decision? {
    rules.withExpressions.traced(request, stepsMax: RulesLimits.explainStepsMax)
  }

  /// Returns the part that is needed to decide the request again; nil when it is too large.
  package func recorded() -> RecordedRequest? { RecordedRequest(self) }
}
