import HearthRules
import HearthTree

/// A prover of questions about one rules file, or about requests that one of two files allows and the other does not.
///
/// It is a reference type because all questions share the results about texts. It is not thread-safe.
final class Prover {
  private let rules: RuleSet
  private let denying: RuleSet?
  private let nowMilliseconds: Int64
  private let texts: TextSolver
  private let faults: ExposureFaults
  /// The indexes of the keys that a rule compares with the uid, by rule.
  private var owners: [ObjectIdentifier: Set<Int>] = [:]
  /// The claims that rules read, by rule.
  private var claimsRead: [ObjectIdentifier: ReadClaims] = [:]

  /// Creates a prover.
  ///
  /// - Parameters:
  /// - denying: A file that must refuse a request, the second file of each location; nil for questions about one file.
  /// - texts: Shared results about texts, which do not affect the verdicts.
  init(
    _ rules: RuleSet, denying: RuleSet? = nil, nowMilliseconds: Int64, faults: ExposureFaults = [],
    texts: TextSolver = TextSolver()
  ) {
    self.texts = texts
    self.faults = faults
    self.rules = rules
    self.denying = denying
    self.nowMilliseconds = nowMilliseconds
  }

  /// Returns the verdict; nil when the class has no users at the location, because no key of the location is compared
  /// with the uid.
  func verdict(_ question: ExposureQuestion) -> ExposureVerdict? {
    let owners = question.identity == .otherUser ? owners(of: question.location) : []
    if question.identity == .otherUser, owners.isEmpty { return nil }
    // Without any rule that could grant it, the operation is closed.
    guard question.location.chains[0].contains(where: { $0?.grant(question.operation) != nil }) else { return .closed }
    var alone = question
    alone.isUpdate = false
    var reason: ExposureReason?
    // A write on its own is an update of one path; other paths are only added when it is not allowed.
    for asked in question.isUpdate && question.operation == .write ? [alone, question] : [alone] {
      reason = nil
      for form in forms(asked) {
        switch search(asked, form, owners) {
        case .refuted: break
        case .open(let witness): return .open(witness, grantedBy: witness.decision(by: rules).rule)
        case .unfinished(let why): reason = why
        }
      }
    }
    return reason.map { .undecided($0) } ?? .closed
  }

  /// Returns true when the class has users at the location.
  func concerns(_ question: ExposureQuestion) -> Bool {
    question.identity != .otherUser || !owners(of: question.location).isEmpty
  }

  /// Returns true when a read, or a write on its own, is allowed to a holder of the claim exactly when it is allowed to
  /// `anyone`: no applicable rule reads the claim, or a claim with a computed name.
  func isIndifferent(to claim: String, at location: ExposureLocation, _ operation: ExposureOperation) -> Bool {
    location.chains.allSatisfy { chain in
      chain.allSatisfy { node in
        isIndifferent(to: claim, operation == .read ? [node?.read] : [node?.write, node?.validate])
      } && (operation == .read || isIndifferentBelow(to: claim, chain.last ?? nil))
    }
  }

  private func isIndifferentBelow(to claim: String, _ node: RuleNode?) -> Bool {
    guard let node, node.hasValidation else { return true }
    return isIndifferent(to: claim, [node.validate])
      && node.children.list.allSatisfy { isIndifferentBelow(to: claim, $0.node) }
      && isIndifferentBelow(to: claim, node.wildcard)
  }

  private func isIndifferent(to claim: String, _ rules: [Rule?]) -> Bool {
    rules.allSatisfy { rule in
      guard let rule else { return true }
      let known = claimsRead[ObjectIdentifier(rule)]
      let use = known ?? ReadClaims(rule)
      if known == nil { claimsRead[ObjectIdentifier(rule)] = use }
      return !use.mayRead(claim)
    }
  }

  // MARK: Forms

  private struct Form {
    var kind: SearchTarget.Form
    /// True for a request at a key below the location that no rule names.
    var isBelow = false
  }

  private func forms(_ question: ExposureQuestion) -> [Form] {
    guard question.operation == .write else { return [Form(kind: .read)] }
    var forms = [Form(kind: .set), Form(kind: .delete)]
    let nodes = question.location.chains.map { $0.last ?? nil }
    // A key that matches a wildcard belongs to a separate location.
    if nodes.allSatisfy({ $0?.wildcard == nil }) {
      forms += [Form(kind: .set, isBelow: true), Form(kind: .delete, isBelow: true)]
    }
    // Without validate rules below, setting the existing value with another priority requires the same, so this form is
    // redundant.
    if nodes.contains(where: { $0?.hasValidation == true && $0?.isLeaf == false }) {
      forms.append(Form(kind: .priority))
    }
    return forms
  }

  // MARK: One search

  /// A search for one form, with its own terms.
  private struct Task {
    var target: SearchTarget
    var table: TermTable
    var chains: [[RuleNode?]]
  }

  private func task(_ question: ExposureQuestion, _ form: Form) -> Task {
    let table = TermTable(claims: question.identity.claims, nowMilliseconds: nowMilliseconds, faults: faults)
    var keys = question.location.steps.map { step in
      switch step {
      case .key(let key): table.text(key)
      case .wildcard(let name, let excluded): table.addWildcard(name, excluding: excluded)
      }
    }
    var chains = question.location.chains
    if form.isBelow {
      let names = chains.flatMap { ($0.last ?? nil)?.children.list.map(\.key.text) ?? [] }
      keys.append(table.addWildcard("$key", excluding: names))
      chains = chains.map { $0 + [nil] }
    }
    let kind: FactChange.Kind =
      switch form.kind {
      case .read: .none
      case .priority: .priority
      case .set, .delete: question.isUpdate ? .many : .value
      }
    let target = SearchTarget(
      identity: question.identity, operation: question.operation, location: question.location,
      change: FactChange(kind: kind, place: table.place(keys)), keys: keys, allowed: chains[0],
      carriesValue: form.kind == .set, form: form.kind, rules: rules, denying: denying,
      nowMilliseconds: nowMilliseconds)
    return Task(target: target, table: table, chains: chains)
  }

  private func search(_ question: ExposureQuestion, _ form: Form, _ owners: Set<Int>) -> Search.Outcome {
    let task = task(question, form)
    let goals = Goals(task.target, task.table)
    var search = Search(task.target, task.table, texts)
    var all = goals.identity(owners: owners) + goals.form + goals.allowed(task.chains[0])
    if task.chains.count > 1 { all += goals.denied(task.chains[1]) }
    let outcome = search.run(all)
    guard case .unfinished = outcome else { return outcome }
    var randomSearch = RandomRequestSearch(task.target, owners: owners, texts.languages)
    return randomSearch.request().map { .open($0) } ?? outcome
  }

  /// Returns a request that was found by random search only, without a proof; for tests of verdicts.
  func guess(_ question: ExposureQuestion) -> ExposureWitness? {
    let owners = question.identity == .otherUser ? owners(of: question.location) : []
    if question.identity == .otherUser, owners.isEmpty { return nil }
    for form in forms(question) {
      var randomSearch = RandomRequestSearch(task(question, form).target, owners: owners, texts.languages)
      if let witness = randomSearch.request() { return witness }
    }
    return nil
  }

  // MARK: Owners

  /// Returns the indexes of a location's keys that a rule from the root to the location compares with the uid.
  private func owners(of location: ExposureLocation) -> Set<Int> {
    var result: Set<Int> = []
    for case let node? in location.chains.joined() {
      for case let rule? in [node.read, node.write, node.validate] { result.formUnion(owners(of: rule)) }
    }
    return result.filter { $0 < location.steps.count }
  }

  private func owners(of rule: Rule) -> Set<Int> {
    if let known = owners[ObjectIdentifier(rule)] { return known }
    var result: Set<Int> = []
    rule.expression?.visit { expression in
      guard case .binary(let binary, let a, let b) = expression.form, binary == .equal || binary == .notEqual else {
        return
      }
      for (x, y) in [(a, b), (b, a)] {
        if case .wildcard(let depth) = x.form, y.isUID { result.insert(depth) }
      }
    }
    owners[ObjectIdentifier(rule)] = result
    return result
  }
}

extension RuleNode {
  /// Returns the rule of the node that can allow an operation at its location and below.
  func grant(_ operation: ExposureOperation) -> Rule? { operation == .read ? read : write }

  fileprivate var isLeaf: Bool { wildcard == nil && children.list.isEmpty }
}
