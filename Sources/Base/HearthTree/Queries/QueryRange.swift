/// A point in a query's order.
struct QueryPoint: Sendable, Hashable {
  var value: SortValue
  var key: Query.BoundKey
  var isInclusive = true

  /// Returns the order of a child and this point: negative when the child is before it, zero at it, positive after it.
  func compare(_ value: SortValue, _ key: UnsafeRawBufferPointer) -> Int {
    let order = value.compare(self.value)
    if order != 0 { return order }
    switch self.key {
    case .lowest: return 1
    case .highest: return -1
    case .key(let own): return own.withUTF8 { OrderedKey(key).compare($0) }
    }
  }
}

/// The children that a query's bounds admit, before its limit.
struct QueryRange: Sendable, Hashable {
  /// The lower end; nil when there is no lower bound.
  var lower: QueryPoint?
  var upper: QueryPoint?

  func isAboveLower(_ value: SortValue, _ key: UnsafeRawBufferPointer) -> Bool {
    guard let lower else { return true }
    let order = lower.compare(value, key)
    return order > 0 || order == 0 && lower.isInclusive
  }

  func isBelowUpper(_ value: SortValue, _ key: UnsafeRawBufferPointer) -> Bool {
    guard let upper else { return true }
    let order = upper.compare(value, key)
    return order < 0 || order == 0 && upper.isInclusive
  }

  func contains(_ value: SortValue, _ key: UnsafeRawBufferPointer) -> Bool {
    isAboveLower(value, key) && isBelowUpper(value, key)
  }

  func contains(_ value: SortValue, _ key: Key) -> Bool { key.withUTF8 { contains(value, $0) } }
}

extension Query {
  /// The order of the results: the named one, otherwise by priority.
  public var effectiveOrder: Order { order ?? .priority }

  var range: QueryRange {
    QueryRange(
      lower: start.map { point($0, whenNoKey: .lowest) }, upper: end.map { point($0, whenNoKey: .highest) })
  }

  private func point(_ bound: Bound, whenNoKey side: BoundKey) -> QueryPoint {
    var point: QueryPoint
    if order == .key {
      // In key order, all values are equal and the bound's value is the key. A value that is not a text comes before
      // every key.
      guard case .string(let text)? = bound.value else { return QueryPoint(value: .missing, key: .lowest) }
      point = QueryPoint(value: .missing, key: BoundKey(text), isInclusive: bound.isInclusive)
    } else {
      point = QueryPoint(value: SortValue(bound.value), key: bound.key ?? side, isInclusive: bound.isInclusive)
    }
    // No child can be exactly at this point, so inclusiveness makes no difference.
    if point.key == .lowest || point.key == .highest { point.isInclusive = true }
    return point
  }

  /// True when there are neither bounds nor a limit: then the order does not change the result.
  public var loadsAllData: Bool { start == nil && end == nil && limit == nil }

  /// The same query in its canonical form: redundant keys are removed, and a bound is exclusive only where that makes a
  /// difference.
  public var canonical: Query {
    var result = self
    result.start = start.map { canonical($0, natural: .lowest) }
    result.end = end.map { canonical($0, natural: .highest) }
    return result
  }

  private func canonical(_ bound: Bound, natural: BoundKey) -> Bound {
    let point = point(bound, whenNoKey: natural)
    let key = order == .key || point.key == natural ? nil : point.key
    return Bound(value: bound.value, key: key, isInclusive: point.isInclusive)
  }
}

extension Query: Hashable {
  public static func == (a: Query, b: Query) -> Bool {
    a.order == b.order && a.limit == b.limit && a.range == b.range
  }

  public func hash(into hasher: inout Hasher) {
    hasher.combine(order)
    hasher.combine(limit)
    hasher.combine(range)
  }
}
