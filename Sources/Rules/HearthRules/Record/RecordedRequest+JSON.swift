import HearthTree

extension RecordedRequest {
  /// The request in the format of a test case: `read`, `write`, `delete` or `update` names the path, with `value` or
  /// `query` if there is one, the parts of `auth` that rules read, and `now`.
  ///
  /// Server values are written as their results.
  package var json: JSON {
    switch request {
    case .read(let read):
      var members: [JSON.Member] = [.init("read", .string(read.path.description))]
      if let query = read.query { members.append(.init("query", query.wire)) }
      return .object(members + Self.circumstances(read.auth, read.nowMilliseconds))
    case .write(let write):
      return .object(Self.members(of: write) + Self.circumstances(write.auth, write.nowMilliseconds))
    }
  }

  private static func members(of write: WriteRequest) -> [JSON.Member] {
    func value(at location: Location) -> JSON {
      let node = write.newRoot[location.path]
      if location.isPriority { return node.priority.map { json($0) } ?? .null }
      var writer = JSONWriter()
      writer.write(node, .export)
      return JSON(parsing: writer.bytes) ?? .null
    }
    guard write.locations.count == 1, let only = write.locations.first else {
      let values = write.locations.map { JSON.Member(String($0.description.dropFirst()), value(at: $0)) }
      return [.init("update", .string("/")), .init("value", .object(values))]
    }
    let written = value(at: only)
    if written == .null { return [.init("delete", .string(only.description))] }
    return [.init("write", .string(only.description)), .init("value", written)]
  }

  private static func json(_ priority: Scalar) -> JSON {
    var writer = JSONWriter()
    writer.write(Node(priority), .export)
    return JSON(parsing: writer.bytes) ?? .null
  }

  private static func circumstances(_ auth: JSON?, _ nowMilliseconds: Int64) -> [JSON.Member] {
    [.init("auth", auth ?? .null), .init("now", .int(nowMilliseconds))]
  }
}
