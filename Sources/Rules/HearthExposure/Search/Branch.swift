import HearthRules

/// One branch of the search for a request that makes all goals true.
struct Branch {
  var facts: Facts
  /// The choices that are not decided yet: one alternative of each must hold.
  var choices: [[[Goal]]] = []
  /// The places whose `.validate` rule was added to the goals.
  var validated: Set<PlaceID> = []
  /// The objects for which the choice of a child was added.
  var opened: Set<PlaceID> = []
  /// The other paths of an update.
  var others: [WrittenPlace] = []
  /// True when a goal was omitted because it has too many alternatives. A refutation of the rest still refutes the
  /// whole.
  var isWeakened = false
  var splitsLeft = ExposureLimits.splitsMax
  var depth = 0

  init(_ facts: Facts) { self.facts = facts }

  /// Adds goals: statements directly, and the conditions of expressions.
  mutating func adopt(_ goals: [Goal], _ unfolding: Unfolding) {
    for goal in goals where !facts.isRefuted {
      switch goal {
      case .literal(let literal): facts.assert(literal)
      case .either(let alternatives): adopt(oneOf: alternatives, unfolding)
      case .formula(let sense, let expression, let scope):
        do throws(Unfolding.TooMany) {
          adopt(oneOf: try unfolding.alternatives(sense, expression, scope), unfolding)
        } catch {
          isWeakened = true
        }
      }
    }
  }

  private mutating func adopt(oneOf alternatives: [[Goal]], _ unfolding: Unfolding) {
    let possible = alternatives.filter { isPossible($0) }
    switch possible.count {
    case 0: facts.refute()
    case 1: adopt(possible[0], unfolding)
    default: choices.append(possible)
    }
  }

  /// Returns false when one of the statements certainly does not hold.
  private func isPossible(_ goals: [Goal]) -> Bool {
    goals.allSatisfy { goal in
      if case .literal(let literal) = goal { facts.isPossible(literal) } else { true }
    }
  }

  /// Drops alternatives that contradict the facts. When only one alternative of a choice is left, adds its goals.
  ///
  /// - Returns: True when something was added.
  mutating func simplify(_ unfolding: Unfolding) -> Bool {
    var hasProgress = false
    let pending = choices
    choices = []
    for alternatives in pending {
      if facts.isRefuted { return true }
      let count = choices.count
      adopt(oneOf: alternatives, unfolding)
      if choices.count == count || choices.count > count + 1 { hasProgress = true }
    }
    return hasProgress
  }
}
