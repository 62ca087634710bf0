import HearthTree

/// A request's query as rules see it: each field mirrors what the SDK's query was built with.
struct QueryView {
  private let query: Query?

  init(_ query: Query?) { self.query = query?.canonical }

  /// Whether a bound or a limit without an order counts as ordered by key. The guides say so; reads without any
  /// parameter do not over a socket, as seen on the service. Over REST they do: who asks for it there says so.
  static let countsBareQueriesAsOrderedByKey = true

  func value(of field: QueryField) -> Value {
    switch field {
    case .orderByKey: return .bool(isOrderedByKey)
    case .orderByValue: return .bool(query?.order == .value)
    case .orderByPriority: return .bool(query?.order == .priority)
    case .orderByChild:
      guard case .child(let path) = query?.order else { return .null }
      return .string(path.keys.map(\.text).joined(separator: "/"))
    case .startAt: return Value(query?.start?.value)
    case .endAt: return Value(query?.end?.value)
    case .equalTo: return isEqualTo ? Value(query?.start?.value) : .null
    case .limitToFirst:
      guard case .first(let count) = query?.limit else { return .null }
      return .number(Double(count))
    case .limitToLast:
      guard case .last(let count) = query?.limit else { return .null }
      return .number(Double(count))
    }
  }

  private var isOrderedByKey: Bool {
    guard let query else { return false }
    if let order = query.order { return order == .key }
    return Self.countsBareQueriesAsOrderedByKey && (query.start != nil || query.end != nil || query.limit != nil)
  }

  /// Two equal bounds are what `equalTo` sends.
  private var isEqualTo: Bool {
    guard let start = query?.start, let end = query?.end, start.isInclusive, end.isInclusive else { return false }
    return start.value == end.value && start.key == end.key
  }
}
