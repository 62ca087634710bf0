/// The middle of some figures: what one disturbed round does not move.
enum Median {
  /// Nil without figures; of an even number of them the mean of the two in the middle.
  static func of(_ figures: [Double]) -> Double? {
    guard !figures.isEmpty else { return nil }
    let sorted = figures.sorted()
    let middle = sorted.count / 2
    return sorted.count.isMultiple(of: 2) ? (sorted[middle - 1] + sorted[middle]) / 2 : sorted[middle]
  }
}
