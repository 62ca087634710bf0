import HearthRules
import HearthTree

/// The conversion of a decided request to a test file with one case, which expects the same decision.
package enum RecordedCase {
  /// Returns the text of the file, with the data and the parts of `auth` that the rules read; nil when a test file
  /// cannot express it.
  package static func text(_ record: RecordedRequest, _ explanation: Explanation) -> String? {
    var asked = record.json
    guard asked.members != nil else { return nil }
    if case .read(let read) = record.request, let query = read.query {
      guard let query = Self.json(query), asked["query"] != nil else { return nil }
      asked["query"] = query
    }
    var (json, users): (JSON, JSON) = (["name": .string(explanation.summary)], [:])
    if let auth = asked["auth"], auth != .null {
      guard auth.members != nil else { return nil }
      let name = auth["uid"]?.string ?? "user"
      users[name] = ["auth": auth]
      json["as"] = .string(name)
    }
    asked["auth"] = nil
    json["data"] = data(record.request)
    json = json.appending(asked)
    json["expect"] = .string(explanation.decision.isAllowed ? "allow" : "deny")
    json["rule"] = .string(explanation.decision.rule?.name ?? "none")
    var writer = JSONWriter(pretty: true)
    writer.write(["users": users, "cases": [json]])
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

  /// Returns a query with the names that test files use; nil for bounds that test files cannot express.
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
