import HearthExposure
import HearthRules
import HearthTree

/// Writes a request as a case of a test file.
enum WitnessCase {
  /// A test file with one case, which expects the rules' answer. Nil when a test file cannot express it.
  static func test(_ witness: ExposureWitness, name: String, isAllowed: Bool) -> JSON? {
    var members: [JSON.Member] = [.init("name", .string(name))]
    var users: [JSON.Member] = []
    if let auth = witness.auth {
      users.append(.init("user", .object([.init("auth", auth)])))
      members.append(.init("as", .string("user")))
    }
    members.append(.init("now", .int(witness.nowMilliseconds)))
    let request = witness.json
    members.append(.init("data", request["data"] ?? .null))
    let path = request["path"] ?? .string("/")
    if witness.changes.isEmpty {
      members.append(.init("read", path))
      if let query = witness.query { members.append(.init("query", json(query))) }
    } else if let updates = request["updates"] {
      guard let all = updates.members else { return nil }
      members.append(.init("update", .string("/")))
      members.append(
        .init(
          "value", .object(all.map { .init($0.name.hasPrefix("/") ? String($0.name.dropFirst()) : $0.name, $0.value) }))
      )
    } else if witness.changes[0].value.isEmpty, !witness.changes[0].isPriority {
      members.append(.init("delete", path))
    } else {
      members.append(.init("write", path))
      members.append(.init("value", request["value"] ?? .null))
    }
    members.append(.init("expect", .string(isAllowed ? "allow" : "deny")))
    return .object([.init("users", .object(users)), .init("cases", .array([.object(members)]))])
  }

  /// A query by the names that test files use.
  private static func json(_ query: Query) -> JSON {
    .object(query.orderMembers + ExposureWitness.boundsAndLimit(of: query))
  }
}
