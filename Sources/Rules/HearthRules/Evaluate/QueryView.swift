import HearthTree

/// The `query` variable of rules: each field corresponds to a call on the SDK's query.
struct QueryView {
  /// The query, valid as long as the request is.
  private let place: UnsafePointer<Query?>

  init(_ place: UnsafePointer<Query?>) { self.place = place }

  /// True when a bound or a limit without an order counts as ordered by key. Firebase's documentation states this. As
  /// observed on Firebase, reads without parameters do not count as ordered by key over a socket. Over REST they do;
  /// the caller sets the order there.
  static let countsBareQueriesAsOrderedByKey = true

  func value(of field: QueryField) -> Operand {
    switch field {
    case .orderByKey: return .bool(isOrderedByKey)
    case .orderByValue: if case .value? = place.pointee?.order { return .bool(true) } else { return .bool(false) }
    case .orderByPriority:
      if case .priority? = place.pointee?.order { return .bool(true) } else { return .bool(false) }
    case .orderByChild:
      guard case .child(let path)? = place.pointee?.order else { return .null }
      return .string(path.keys.map(\.text).joined(separator: "/"))
    case .startAt: return Operand(place.pointee?.start?.value)
    case .endAt: return Operand(place.pointee?.end?.value)
    case .equalTo: return isEqualTo ? Operand(place.pointee?.start?.value) : .null
    case .limitToFirst:
      guard case .first(let count)? = place.pointee?.limit else { return .null }
      return .number(Double(count))
    case .limitToLast:
      guard case .last(let count)? = place.pointee?.limit else { return .null }
      return .number(Double(count))
    }
  }

  private var isOrderedByKey: Bool {
    switch place.pointee?.order {
    case .key?: return true
    case .priority?, .value?, .child?: return false
    case nil: break
    }
    guard Self.countsBareQueriesAsOrderedByKey else { return false }
    return place.pointee?.start != nil || place.pointee?.end != nil || place.pointee?.limit != nil
  }

  /// True for the two equal bounds that `equalTo` sends, in any notation of their keys.
  private var isEqualTo: Bool {
    guard let query = place.pointee?.canonical, let start = query.start, let end = query.end else { return false }
    return start.isInclusive && end.isInclusive && start.value == end.value && start.key == end.key
  }
}
