/// The median of some figures, which one disturbed round does not change.
enum Median {
  /// Returns the median; nil without figures, and the mean of the two middle ones when their number is even.
  static func of(_ figures: [Double]) -> Double? {
    guard !figures.isEmpty else { return nil }
    let sorted = figures.sorted()
    let middle = sorted.count / 2
    return sorted.count.isMultiple(of: 2) ? (sorted[middle - 1] + sorted[middle]) / 2 : sorted[middle]
  }
}
