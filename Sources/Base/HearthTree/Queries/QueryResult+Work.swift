extension QueryResult {
  /// The maximum number of children that ``node(cost:)`` reads: a small result can be built at once, a larger one would
  /// delay other requests.
  public var childrenReadMax: Int {
    guard parent.isInterior, !query.loadsAllData else { return 0 }
    guard index != nil, let (count, _) = query.limitCount else { return parent.childCount }
    return min(count, parent.childCount)
  }
}
