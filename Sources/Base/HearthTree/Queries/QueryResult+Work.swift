extension QueryResult {
  /// How many children ``node(cost:)`` looks at, at most: tells what can be put together at once from what had better
  /// not keep anybody waiting.
  public var childrenReadMax: Int {
    guard parent.isInterior, !query.loadsAllData else { return 0 }
    guard index != nil, let (count, _) = query.limitCount else { return parent.childCount }
    return min(count, parent.childCount)
  }
}
