import HearthTree

/// The observation of a running rule: the results of its sub-expressions, and its reads of data. Sub-expressions that
/// are not evaluated have no note.
final class Observation {
  /// The result of one sub-expression.
  struct Note {
    let site: Int32
    let value: ObservedValue
  }

  /// A read of the data.
  struct Read {
    let isAfter: Bool
    let keys: [Key]
    let aspects: ReadDependencies.Aspects
    let node: Node
  }

  /// False when only outcomes are recorded.
  let keepsValues: Bool
  /// The notes, in the order in which evaluation ended. Empty unless ``keepsValues`` is true.
  private(set) var notes: [Note] = []
  /// The reads, in order. Empty unless ``keepsValues`` is true.
  private(set) var reads: [Read] = []
  /// The sites that were evaluated, by their index among all sites of the rule, with their outcomes.
  private(set) var outcomes: [(index: Int32, outcome: ObservedOutcome)] = []
  private var sites = Observation.noSites

  private static let noSites = SiteMap()

  init(keepsValues: Bool) { self.keepsValues = keepsValues }

  /// Clears the notes before the next rule runs.
  func begin(_ rule: Rule) {
    sites = rule.inspection?.sites ?? Self.noSites
    notes.removeAll(keepingCapacity: true)
    reads.removeAll(keepingCapacity: true)
    outcomes.removeAll(keepingCapacity: true)
  }

  // MARK: Operations

  func note(_ operation: Int32, _ value: Value) {
    guard keepsValues else { return count(operation, ObservedOutcome(value)) }
    note(operation, .value(value))
  }

  func note(_ operation: Int32, _ truth: Bool) {
    guard keepsValues else { return count(operation, truth ? .yes : .no) }
    note(operation, .value(.bool(truth)))
  }

  func note(_ site: Int32, _ value: ObservedValue) {
    count(site, value.outcome)
    if keepsValues { notes.append(Note(site: site, value: value)) }
  }

  private func count(_ site: Int32, _ outcome: ObservedOutcome) {
    outcomes.append((Int32(truncatingIfNeeded: sites.index(of: site)), outcome))
  }

  /// Notes the sites that the compiler evaluated together with a constant. The recursion is as deep as the rule's
  /// expression, whose depth is limited.
  func noteImplied(by operation: Int32) {
    guard let implied = sites.implied[operation] else { return }
    for site in implied {
      note(site.site, site.value)
      if site.site >= 0 { noteImplied(by: site.site) }
    }
  }

  /// Notes `auth` and its members that lead to a claim.
  func noteClaim(_ operation: Int32, prefix: Int, _ claim: JSON) {
    if let first = sites.claims[operation] { note(first - Int32(prefix), .claim(claim)) }
  }

  // MARK: Snapshots

  /// Notes the location of a chain after the given number of steps.
  func noteChain(_ chain: Int32, after stepCount: Int, isAfter: Bool, keys: [Key], root: Node) {
    for mark in sites.chains[chain] ?? [] where mark.stepCount == stepCount {
      var node = root
      if keepsValues { for key in keys { node = node.child(key) } }
      note(mark.site, .snapshot(isAfter: isAfter, keys: keys, node: node))
    }
  }

  /// Notes the error of a chain after the given number of steps.
  func noteChain(_ chain: Int32, after stepCount: Int, _ error: EvaluationError) {
    for mark in sites.chains[chain] ?? [] where mark.stepCount > stepCount { note(mark.site, .error(error)) }
  }

  func noteRead(isAfter: Bool, _ keys: [Key], _ aspects: ReadDependencies.Aspects, _ node: Node) {
    if keepsValues { reads.append(Read(isAfter: isAfter, keys: keys, aspects: aspects, node: node)) }
  }

  /// Notes that an operation failed. When it is the condition that selects one of two snapshots, both are noted as
  /// failed.
  func noteFailure(_ operation: Int32, _ error: EvaluationError) {
    for site in sites.dependent[operation] ?? [] {
      let index = sites.index(of: site)
      if !outcomes.contains(where: { $0.index == index }) { note(site, .error(error)) }
    }
    note(operation, .error(error))
  }

  // MARK: Templates

  /// Notes the parts of a template that are complete after a piece. `starts` contains the number of bytes before each
  /// evaluated piece.
  func noteTemplate(
    _ template: Int32, _ next: inout Int, after piece: Int, _ starts: [Int], _ bytes: [UInt8], of program: Program
  ) {
    guard let marks = sites.templates[template] else { return }
    while next < marks.count, marks[next].isDone(after: piece) {
      let mark = marks[next]
      if mark.site >= 0, case .constant(let index) = program.operations[Int(mark.site)] {
        note(mark.site, program.constants[Int(index)])
        noteImplied(by: mark.site)
      } else {
        let range = offset(mark.start, starts, bytes)..<offset(mark.end, starts, bytes)
        note(mark.site, keepsValues ? .string(String(decoding: bytes[range], as: UTF8.self)) : .string(""))
      }
      next += 1
    }
  }

  private func offset(_ position: TemplateMark.Position, _ starts: [Int], _ bytes: [UInt8]) -> Int {
    position.piece < starts.count ? starts[position.piece] + position.byte : bytes.count
  }

  /// Notes a template that failed in a piece: the parts that contain the piece fail too.
  func noteTemplate(_ template: Int32, from next: Int, failedIn piece: Int, _ error: EvaluationError) {
    guard let marks = sites.templates[template] else { return }
    for mark in marks[min(next, marks.count)...] where mark.start.piece <= piece { note(mark.site, .error(error)) }
  }
}
