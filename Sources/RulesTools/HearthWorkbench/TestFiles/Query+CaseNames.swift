import HearthTree

extension Query {
  /// What it is ordered by, in the names that test files use; nothing when it says nothing.
  var orderMembers: [JSON.Member] {
    switch order {
    case .key: [.init("orderByKey", .bool(true))]
    case .value: [.init("orderByValue", .bool(true))]
    case .priority: [.init("orderByPriority", .bool(true))]
    case .child(let path): [.init("orderByChild", .string(path.keys.map(\.text).joined(separator: "/")))]
    case nil: []
    }
  }
}
