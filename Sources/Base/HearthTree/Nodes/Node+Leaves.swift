extension Node {
  /// The number of values in it: numbers, booleans and texts, priorities not counted. Takes time with their number.
  public var leafCount: Int {
    NodeWalk.start(at: self) { walk in
      var count = 0
      Self.count(walk, &count)
      return count
    }
  }

  /// Counts the values. Recursion as deep as the data, which is limited.
  private static func count(_ walk: NodeWalk, _ count: inout Int) {
    guard walk.isInterior else {
      if !walk.isEmpty { count += 1 }
      return
    }
    walk.forEachChild { _, child in
      Self.count(child, &count)
      return true
    }
  }
}
