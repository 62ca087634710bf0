import HearthRules
import HearthTree

/// Makes values, nodes and rules files from short texts.
enum RulesFixtures {
  static func json(_ text: String) throws -> JSON {
    try withReader(text) { reader throws(JSONError) in try reader.value() }
  }

  static func writeValue(_ text: String) throws -> WriteValue {
    try withReader(text) { reader throws(JSONError) in try reader.writeValue() }
  }

  static func node(_ text: String) throws -> Node { try writeValue(text).node }

  static func text(_ json: JSON) -> String {
    var writer = JSONWriter()
    writer.write(json)
    return String(decoding: writer.bytes, as: UTF8.self)
  }

  private static func withReader<Result>(
    _ text: String, _ body: (inout JSONReader) throws(JSONError) -> Result
  ) throws -> Result {
    let bytes = Array(text.utf8)
    return try bytes.withUnsafeBytes { buffer throws(JSONError) in
      var reader = JSONReader(buffer)
      let result = try body(&reader)
      try reader.end()
      return result
    }
  }

  static let now: Int64 = 1_783_800_000_000

  static let alice = JSON.object([
    .init("uid", .string("alice")), .init("provider", .string("anonymous")),
    .init("token", .object([.init("firebase", .object([.init("sign_in_provider", .string("anonymous"))]))])),
  ])

  /// Returns a rules file with one rule at `/p`.
  static func file(_ kind: RuleKind, _ expression: String, at place: String = "p") -> String {
    "{\"rules\":{\"\(place)\":{\".\(kind.rawValue)\":\(text(.string(expression)))}}}"
  }

  /// Returns the error of a rule without its position, or nil when it is accepted.
  static func refusal(_ expression: String, as kind: RuleKind = .write, below wildcards: [String] = []) -> String? {
    let inner = "{\".\(kind.rawValue)\":\(text(.string(expression)))}"
    let body = wildcards.reversed().reduce(inner) { "{\"\($1)\":\($0)}" }
    do {
      _ = try RuleSet.compile("{\"rules\":\(body)}")
      return nil
    } catch {
      return error.diagnostics.first?.message
    }
  }
}

/// The result of a rule.
enum Outcome: Equatable {
  case yes
  case no
  case error
}

extension Outcome: CustomStringConvertible {
  var description: String {
    switch self {
    case .yes: "true"
    case .no: "false"
    case .error: "an error"
    }
  }
}

/// A rule at `/p`, with the data that it reads.
struct RuleEvaluation {
  var stored = "null"
  var written = "null"
  var auth: JSON? = RulesFixtures.alice
  var query: Query?

  /// Evaluates a rule for a write of `newData` to `/p`.
  func write(_ expression: String) throws -> Outcome {
    let rules = try RuleSet.compile(RulesFixtures.file(.write, expression))
    let path = Path("p")
    let old = try RulesFixtures.node(stored)
    let value = try RulesFixtures.writeValue(written).resolved(existing: old[path], nowMilliseconds: RulesFixtures.now)
    let request = WriteRequest(
      oldRoot: old, newRoot: old.replacing(path, with: value), locations: [Location(path: path)], auth: auth,
      nowMilliseconds: RulesFixtures.now)
    return try outcome(rules.decideWrite(request, detail: .trace))
  }

  /// Evaluates a rule for a read of `/p`.
  func read(_ expression: String) throws -> Outcome {
    let rules = try RuleSet.compile(RulesFixtures.file(.read, expression))
    let request = ReadRequest(
      path: Path("p"), root: try RulesFixtures.node(stored), auth: auth, nowMilliseconds: RulesFixtures.now,
      query: query)
    return try outcome(rules.decideRead(request, detail: .trace))
  }

  private func outcome(_ decision: Decision) throws -> Outcome {
    switch decision.visited.first?.result {
    case .value(let value): value ? .yes : .no
    default: .error
    }
  }
}
