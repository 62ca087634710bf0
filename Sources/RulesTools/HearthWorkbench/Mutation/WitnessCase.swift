import HearthExposure
import HearthRules
import HearthTree

/// The conversion of a request to a case of a test file.
enum WitnessCase {
  /// Returns a test file with one case, which expects the rules' decision; nil when a test file cannot express it.
  static func test(_ witness: ExposureWitness, name: String, isAllowed: Bool) -> JSON? {
    var json: JSON = ["name": .string(name)]
    if witness.auth != nil { json["as"] = "user" }
    json["now"] = .int(witness.nowMilliseconds)
    let request = witness.json
    json["data"] = request["data"] ?? .null
    let path = request["path"] ?? "/"
    if witness.changes.isEmpty {
      json["read"] = path
      if let query = witness.query { json["query"] = Self.json(query) }
    } else if let updates = request["updates"] {
      guard let all = updates.members else { return nil }
      json["update"] = "/"
      json["value"] = .object(
        all.map { .init($0.name.hasPrefix("/") ? String($0.name.dropFirst()) : $0.name, $0.value) })
    } else if witness.changes[0].value.isEmpty, !witness.changes[0].isPriority {
      json["delete"] = path
    } else {
      json["write"] = path
      json["value"] = request["value"] ?? .null
    }
    json["expect"] = .string(isAllowed ? "allow" : "deny")
    return ["users": witness.auth.map { ["user": ["auth": $0]] } ?? [:], "cases": [json]]
  }

  /// Returns a query with the names that test files use.
  private static func json(_ query: Query) -> JSON {
    .object(query.orderMembers + ExposureWitness.boundsAndLimit(of: query))
  }
}
