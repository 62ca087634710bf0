extension Node {
  /// The number of values in it: numbers, booleans and texts, priorities not counted. Counting takes time in proportion
  /// to their number.
  public var leafCount: Int {
    UnmanagedNode.withNode(self) { unmanaged in
      var count = 0
      Self.count(unmanaged, &count)
      return count
    }
  }

  /// Counts the values. The recursion is as deep as the data, whose depth is limited.
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
