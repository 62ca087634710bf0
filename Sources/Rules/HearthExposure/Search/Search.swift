import HearthRules

/// A depth-first search, by case distinctions, for a request that makes all goals true.
///
/// The search refutes the goals only when every branch was refuted. A single function ends branches, and its result
/// cannot be ignored: a branch without an answer prevents the verdict "closed".
struct Search {
  /// The result of a branch, or of the whole search.
  enum Outcome {
    /// The branch has no request.
    case refuted
    /// The branch has this request.
    case open(ExposureWitness)
    /// The result is unknown.
    case unfinished(ExposureReason)
  }

  let table: TermTable
  let texts: TextSolver
  let target: SearchTarget
  var nodesLeft = ExposureLimits.searchNodesMax
  var leavesLeft = ExposureLimits.leavesMax
  let unfolding: Unfolding

  init(_ target: SearchTarget, _ table: TermTable, _ texts: TextSolver) {
    self.target = target
    self.table = table
    self.texts = texts
    unfolding = Unfolding(table: table)
  }

  /// Searches for a request that fulfils the goals.
  mutating func run(_ goals: [Goal]) -> Outcome {
    var facts = Facts(table, target.change)
    for key in target.keys { facts.activate(key) }
    var branch = Branch(facts)
    branch.adopt(goals, unfolding)
    return search(branch)
  }

  mutating func search(_ start: Branch) -> Outcome {
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

  /// Searches each of the cases, which together are exhaustive.
  private mutating func search(_ branch: Branch, eitherOf cases: [[Goal]]) -> Outcome {
    var outcome = Outcome.refuted
    for goals in cases {
      var next = branch
      next.adopt(goals, unfolding)
      switch next.facts.isRefuted ? .refuted : search(next) {
      case .refuted: break
      case .open(let witness): return .open(witness)
      case .unfinished(let reason): outcome = .unfinished(reason)
      }
      if nodesLeft < 0 { return .unfinished(.searchTooLong) }
    }
    return outcome
  }

  /// Ends a branch without open choices: with a request, an exhaustive split into cases, or no answer.
  private mutating func end(_ leaf: Branch) -> Outcome {
    leavesLeft -= 1
    guard leavesLeft >= 0 else { return .unfinished(.searchTooLong) }
    var branch = leaf
    if let (place, children) = unopenedObject(branch) {
      branch.opened.insert(place)
      return search(branch, eitherOf: children)
    }
    if let place = undecidedBeside(&branch) { return search(branch, writing: place) }
    let builder = RequestBuilder(target, table, texts)
    if let witness = builder.request(branch.facts, others: branch.others) { return .open(witness) }
    guard branch.splitsLeft > 0, let cases = Splits(branch.facts, texts).next() else {
      if table.faults.contains(.leafNotMarked) { return .refuted }
      return .unfinished(branch.isWeakened ? .tooManyAlternatives : .noWitness)
    }
    branch.splitsLeft -= 1
    return search(branch, eitherOf: cases)
  }
}
