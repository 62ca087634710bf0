extension Node {
  /// The number of values in it: numbers, booleans and texts, priorities not counted. It takes constant time.
  public var leafCount: Int {
    var totals = PageTotals()
    totals.add(contentOf: self)
    return totals.leaves
  }
}
