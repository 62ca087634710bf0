import HearthRules
import HearthTree

/// Writes a request that rules decided as a test file with one case, which expects the same.
package enum RecordedCase {
  /// The text of the file, with the data that the rules read, and the client as they saw it. Nil when a test file
  /// cannot express it.
  package static func text(_ record: RecordedRequest, _ explanation: Explanation) -> String? {
    guard var asked = record.json.members else { return nil }
    if case .read(let read) = record.request, let query = read.query {
      guard let query = json(query), let index = asked.firstIndex(where: { $0.name == "query" }) else { return nil }
      asked[index] = .init("query", query)
    }
    var members: [JSON.Member] = [.init("name", .string(explanation.summary))]
    var users: [JSON.Member] = []
    if let auth = record.json["auth"], auth != .null {
      guard auth.members != nil else { return nil }
      let name = auth["uid"]?.string ?? "user"
      users.append(.init(name, .object([.init("auth", auth)])))
      members.append(.init("as", .string(name)))
    }
    members.append(.init("data", data(record.request)))
    members += asked.filter { $0.name != "auth" }
    members.append(.init("expect", .string(explanation.decision.isAllowed ? "allow" : "deny")))
    members.append(.init("rule", .string(explanation.decision.rule?.name ?? "none")))
    var writer = JSONWriter(pretty: true)
    writer.write(.object([.init("users", .object(users)), .init("cases", .array([.object(members)]))]))
    return String(decoding: writer.bytes, as: UTF8.self) + "\n"
  }

  private static func data(_ request: RulesRequest) -> JSON {
    let root =
      switch request {
      case .read(let read): read.root
      case .write(let write): write.oldRoot
      }
    var writer = JSONWriter()
    writer.write(root, .export)
    return JSON(parsing: writer.bytes) ?? .null
  }

  /// A query by the names that test files use; nil for bounds without such a name.
  private static func json(_ query: Query) -> JSON? {
    var members = query.orderMembers
    if let start = query.start, let end = query.end, start == end, start == Query.Bound(value: start.value) {
      members.append(.init("equalTo", json(start.value)))
    } else {
      if let start = query.start {
        guard let name = name(start, "startAt", exclusive: "startAfter", .after(start.value)) else { return nil }
        members.append(.init(name, json(start.value)))
      }
      if let end = query.end {
        guard let name = name(end, "endAt", exclusive: "endBefore", .before(end.value)) else { return nil }
        members.append(.init(name, json(end.value)))
      }
    }
    switch query.limit {
    case .first(let count): members.append(.init("limitToFirst", .int(Int64(count))))
    case .last(let count): members.append(.init("limitToLast", .int(Int64(count))))
    case nil: break
    }
    return .object(members)
  }

  private static func name(
    _ bound: Query.Bound, _ inclusive: String, exclusive: String, _ excluding: Query.Bound
  ) -> String? {
    if bound == Query.Bound(value: bound.value) { return inclusive }
    return bound == excluding ? exclusive : nil
  }

  private static func json(_ value: Scalar?) -> JSON {
    guard let value else { return .null }
    var writer = JSONWriter()
    writer.write(Node(value), .export)
    return JSON(parsing: writer.bytes) ?? .null
  }
}
