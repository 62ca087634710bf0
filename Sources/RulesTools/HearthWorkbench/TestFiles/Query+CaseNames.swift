import HearthTree

extension Query {
  /// The order of the query, with the names in test files; empty when the query names no order.
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
