import HearthRules
import HearthTree
import Testing

@testable import HearthExposure

/// A rule set in a short notation for tests, with the prover's verdicts about it.
struct ExposureFixture {
  static let now: Int64 = 1_783_800_000_000

  let rules: RuleSet
  let exposure: Exposure

  /// Creates the rules.
  ///
  /// - Parameter body: The value of `"rules"`, with `'` for the `"` of JSON strings, and `` ` `` for `'` inside rules.
  init(_ body: String) throws {
    rules = try Self.compile(body)
    exposure = Exposure(of: rules, nowMilliseconds: Self.now)
  }

  static func compile(_ body: String) throws -> RuleSet {
    let text = body.replacing("'", with: "\"").replacing("`", with: "'")
    return try RuleSet.compile("{\"rules\":\(text)}", keepsExpressions: true)
  }

  func question(
    _ operation: ExposureOperation, _ template: String, _ identity: ExposureIdentity = .signedIn, update: Bool = false
  ) throws -> ExposureQuestion {
    let location = try #require(exposure.locations.first { $0.template == template }, "no \(template)")
    var question = ExposureQuestion(location: location, operation: operation, identity: identity)
    question.isUpdate = update
    return question
  }

  /// Returns the verdict's name, or `-` when the identity class is empty. The evaluator confirms open verdicts.
  func verdict(
    _ operation: ExposureOperation, _ template: String, _ identity: ExposureIdentity = .signedIn, update: Bool = false
  ) throws -> String {
    guard let verdict = exposure.verdict(try question(operation, template, identity, update: update)) else {
      return "-"
    }
    if case .open(let witness, _) = verdict { #expect(witness.decision(by: rules).isAllowed) }
    return verdict.name
  }

  func witness(
    _ operation: ExposureOperation, _ template: String, _ identity: ExposureIdentity = .signedIn, update: Bool = false
  ) throws -> ExposureWitness {
    let verdict = exposure.verdict(try question(operation, template, identity, update: update))
    guard case .open(let witness, _) = verdict else {
      Issue.record("\(operation) \(template) is \(verdict?.name ?? "-")")
      throw NotOpen()
    }
    return witness
  }

  struct NotOpen: Error {}

  /// Returns the verdict on one `.write` at `/a` for an identity.
  static func write(_ rule: String, _ identity: ExposureIdentity = .signedIn) throws -> String {
    try ExposureFixture("{'a':{'.write':'\(rule)'}}").verdict(.write, "/a", identity)
  }

  /// Returns the verdict on one `.read` at `/a/$k` for an identity.
  static func read(_ rule: String, _ identity: ExposureIdentity = .signedIn) throws -> String {
    try ExposureFixture("{'a':{'$k':{'.read':'\(rule)'}}}").verdict(.read, "/a/$k", identity)
  }
}
