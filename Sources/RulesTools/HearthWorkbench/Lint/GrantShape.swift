import HearthRules

/// A rule as alternatives, each of which is a list of conditions: enough to see that one rule follows from another.
struct GrantShape {
  /// Conditions that all hold.
  private struct Alternative {
    /// The conditions that have a canonical text, and what follows from all of them.
    var facts: Set<String>
    /// The conditions; nil when one of them has no canonical text.
    var conditions: Set<String>?
    var canFail: Bool
  }

  /// Comparisons of alternatives that are made for two rules: more come from generated files.
  private static let comparisonsMax = 4_096

  private let alternatives: [Alternative]

  init(_ rule: Rule, _ expression: TypedExpression) {
    let canonical = CanonicalText(place: rule.place)
    alternatives = expression.disjuncts.map { disjunct in
      let texts = disjunct.conjuncts.map { canonical.text(of: $0) }
      var facts = Set(texts.compactMap(\.self))
      if disjunct.needsSignedIn { facts.formUnion(Self.signedIn) }
      return Alternative(
        facts: facts, conditions: texts.contains(nil) ? nil : Set(texts.compactMap(\.self)),
        canFail: Outcomes(of: disjunct).contains(.error))
    }
  }

  /// What `auth != null` and `auth.uid != null` are as canonical texts.
  static let signedIn: Set<String> = ["!=(auth,null)", "!=(auth.3'uid,null)"]

  /// Whoever passes the other rule passes this one: no more than true, for it may hold and not be seen.
  func follows(from other: GrantShape) -> Bool {
    guard alternatives.count * other.alternatives.count <= Self.comparisonsMax else { return false }
    // An alternative that fails takes those after it with it.
    let reached = alternatives.firstIndex(where: \.canFail).map { $0 + 1 } ?? alternatives.count
    return other.alternatives.allSatisfy { given in
      alternatives.prefix(reached).contains { $0.conditions?.isSubset(of: given.facts) ?? false }
    }
  }

  /// Each alternative has this condition, or it follows.
  func always(_ condition: String) -> Bool { alternatives.allSatisfy { $0.facts.contains(condition) } }
}
