import HearthRules

/// One way on which a request may make all goals true.
struct Branch {
  var facts: Facts
  /// Of each, one alternative must hold.
  var choices: [[[Goal]]] = []
  /// Places whose own `.validate` is among the goals already.
  var validated: Set<PlaceID> = []
  /// Objects for which it was asked which child they have.
  var opened: Set<PlaceID> = []
  /// The other paths of an update.
  var others: [WrittenPlace] = []
  /// A goal was left out because it has too many alternatives. What refutes the rest refutes the whole all the same.
  var isWeakened = false
  var splitsLeft = ExposureLimits.splitsMax
  var depth = 0

  init(_ facts: Facts) { self.facts = facts }

  /// Takes goals up: statements at once, expressions taken apart.
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

  /// False when one of the statements surely does not hold.
  private func isPossible(_ goals: [Goal]) -> Bool {
    goals.allSatisfy { goal in
      if case .literal(let literal) = goal { facts.isPossible(literal) } else { true }
    }
  }

  /// Drops alternatives that contradict what is known, and takes up the one that is left where it is one.
  ///
  /// - Returns: True when something was taken up.
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
