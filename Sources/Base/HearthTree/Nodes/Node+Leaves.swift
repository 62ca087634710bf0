extension Node {
  /// The number of values in it: numbers, booleans and texts, priorities not counted. Takes time with their number.
  public var leafCount: Int {
    UnmanagedNode.withNode(self) { unmanaged in
      var count = 0
      Self.count(unmanaged, &count)
      return count
    }
  }

  /// Counts the values. Recursion as deep as the data, which is limited.
  private static func count(_ unmanaged: UnmanagedNode, _ count: inout Int) {
    guard unmanaged.isInterior else {
      if !unmanaged.isEmpty { count += 1 }
      return
    }
    unmanaged.forEachChild { _, child in
      Self.count(child, &count)
      return true
    }
  }
}
