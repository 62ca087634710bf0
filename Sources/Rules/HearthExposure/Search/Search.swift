import HearthRules

/// Looks for a request that makes all goals of a case true, by cases, depth first.
///
/// A case is closed only when every branch was refuted. One function ends branches, and what it gives cannot be left
/// unlooked at: a branch without an answer keeps the whole from being closed.
struct Search {
  /// How a branch, or all of them, came to its end.
  enum Ending {
    /// No request is on it.
    case refuted
    /// This one is.
    case open(ExposureWitness)
    /// Nobody knows.
    case unfinished(ExposureReason)
  }

  let table: TermTable
  let texts: TextSolver
  let aim: Aim
  var nodesLeft = ExposureLimits.searchNodesMax
  var leavesLeft = ExposureLimits.leavesMax
  let unfolding: Unfolding

  init(_ aim: Aim, _ table: TermTable, _ texts: TextSolver) {
    self.aim = aim
    self.table = table
    self.texts = texts
    unfolding = Unfolding(table: table)
  }

  /// Runs to an answer from these goals.
  mutating func run(_ goals: [Goal]) -> Ending {
    var facts = Facts(table, aim.change)
    for key in aim.keys { facts.activate(key) }
    var branch = Branch(facts)
    branch.adopt(goals, unfolding)
    return search(branch)
  }

  mutating func search(_ start: Branch) -> Ending {
    nodesLeft -= 1
    guard nodesLeft >= 0, start.depth <= ExposureLimits.searchDepthMax else { return .unfinished(.searchTooLong) }
    var branch = start
    branch.depth += 1
    repeat {
      branch.facts.saturate(texts)
      if branch.facts.isRefuted { return .refuted }
    } while branch.simplify(unfolding) || adoptCarried(&branch)
    guard let index = branch.choices.indices.min(by: { branch.choices[$0].count < branch.choices[$1].count }) else {
      return end(branch)
    }
    let alternatives = branch.choices.remove(at: index)
    return search(branch, eitherOf: alternatives)
  }

  /// Each of some cases, which together are all there are.
  private mutating func search(_ branch: Branch, eitherOf cases: [[Goal]]) -> Ending {
    var ending = Ending.refuted
    for goals in cases {
      var next = branch
      next.adopt(goals, unfolding)
      switch next.facts.isRefuted ? .refuted : search(next) {
      case .refuted: break
      case .open(let witness): return .open(witness)
      case .unfinished(let reason): ending = .unfinished(reason)
      }
      if nodesLeft < 0 { return .unfinished(.searchTooLong) }
    }
    return ending
  }

  /// The one end of a branch on which nothing is left to be chosen: a request, or a split into all the cases there are,
  /// or no answer.
  private mutating func end(_ leaf: Branch) -> Ending {
    leavesLeft -= 1
    guard leavesLeft >= 0 else { return .unfinished(.searchTooLong) }
    var branch = leaf
    if let (place, children) = unopenedObject(branch) {
      branch.opened.insert(place)
      return search(branch, eitherOf: children)
    }
    if let place = undecidedBeside(&branch) { return search(branch, writing: place) }
    let builder = RequestBuilder(aim, table, texts)
    if let witness = builder.request(branch.facts, others: branch.others) { return .open(witness) }
    guard branch.splitsLeft > 0, let cases = Splits(branch.facts, texts).next() else {
      if table.faults.contains(.leafNotMarked) { return .refuted }
      return .unfinished(branch.isWeakened ? .tooManyAlternatives : .noWitness)
    }
    branch.splitsLeft -= 1
    return search(branch, eitherOf: cases)
  }
}
