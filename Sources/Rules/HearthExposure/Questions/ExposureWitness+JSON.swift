import HearthTree

extension ExposureWitness {
  /// The witness as JSON output: `auth`, `data`, `path`, `value`, `now`; `query` for a read that needs one, and
  /// `updates` instead of `value` for an update of several paths. Numbers that equal the time of the write are
  /// `{".sv":"timestamp"}`.
  package var json: JSON {
    var object: JSON = ["auth": auth ?? .null, "data": Self.json(data)]
    let isPriority = changes.count == 1 && changes[0].isPriority
    object["path"] = .string(isPriority ? Location(path: path, isPriority: true).description : path.description)
    object["value"] = isPriority ? priority : changes.first.map(json) ?? .null
    if changes.count > 1 {
      object["updates"] = .object(changes.map { .init(Location(path: $0.path).description, json($0)) })
    }
    object["now"] = .int(nowMilliseconds)
    if let query { object["query"] = Self.json(query) }
    return object
  }

  private var priority: JSON { changes.first?.value.priority.map(Self.json) ?? .null }

  private func json(_ change: Change) -> JSON { timed(Self.json(change.value)) }

  /// Returns the value with the server value `timestamp` in place of numbers that equal the request's time.
  private func timed(_ value: JSON) -> JSON {
    switch value {
    case .int(nowMilliseconds): [".sv": "timestamp"]
    case .object(let members): .object(members.map { .init($0.name, timed($0.value)) })
    default: value
    }
  }

  private static func json(_ node: Node) -> JSON { JSON(parsing: node.json(.export)) ?? .null }

  private static func json(_ scalar: Scalar) -> JSON { json(Node(scalar)) }

  private static func json(_ query: Query) -> JSON {
    var members: [JSON.Member] = []
    switch query.order {
    case .key: members.append(.init("orderBy", .string("$key")))
    case .value: members.append(.init("orderBy", .string("$value")))
    case .priority: members.append(.init("orderBy", .string("$priority")))
    case .child(let path): members.append(.init("orderBy", .string(path.keys.map(\.text).joined(separator: "/"))))
    case nil: break
    }
    return .object(members + boundsAndLimit(of: query))
  }

  /// Returns the bounds and the limit of a query, with their names in the REST API and in test files.
  package static func boundsAndLimit(of query: Query) -> [JSON.Member] {
    var members: [JSON.Member] = []
    func add(_ name: String, _ bound: Query.Bound?) {
      guard let bound else { return }
      members.append(.init(name, bound.value.map(json) ?? .null))
    }
    if let start = query.start, let end = query.end, start.value == end.value {
      add("equalTo", start)
    } else {
      add("startAt", query.start)
      add("endAt", query.end)
    }
    switch query.limit {
    case .first(let count): members.append(.init("limitToFirst", .int(Int64(count))))
    case .last(let count): members.append(.init("limitToLast", .int(Int64(count))))
    case nil: break
    }
    return members
  }
}
