import HearthRules

/// A rule as alternatives, each a list of conditions, for detecting that one rule follows from another.
struct GrantShape {
  /// A list of conditions that must all be true.
  private struct Alternative {
    /// The conditions with a canonical text, and their consequences.
    var facts: Set<String>
    /// The conditions; nil when one of them has no canonical text.
    var conditions: Set<String>?
    var canFail: Bool
  }

  /// The maximum number of comparisons of alternatives for two rules: only generated files exceed it.
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

  /// The canonical texts of `auth != null` and `auth.uid != null`.
  static let signedIn: Set<String> = ["!=(auth,null)", "!=(auth.3'uid,null)"]

  /// Returns true when this rule is true for every request for which the other rule is true. When it returns false,
  /// this is not known.
  func follows(from other: GrantShape) -> Bool {
    guard alternatives.count * other.alternatives.count <= Self.comparisonsMax else { return false }
    // An error in an alternative prevents the evaluation of later ones.
    let reached = alternatives.firstIndex(where: \.canFail).map { $0 + 1 } ?? alternatives.count
    return other.alternatives.allSatisfy { given in
      alternatives.prefix(reached).contains { $0.conditions?.isSubset(of: given.facts) ?? false }
    }
  }

  /// Returns true when each alternative contains the condition or implies it.
  func always(_ condition: String) -> Bool { alternatives.allSatisfy { $0.facts.contains(condition) } }
}
