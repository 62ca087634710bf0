import HearthRules

/// Sets of UTF-16 units, each stored once and identified by a number.
struct UnitSets {
  /// Ranges of each set, in order, disjoint and not adjacent. No set is empty.
  private(set) var ranges: [[ClosedRange<UInt16>]] = []
  private var numbers: [[ClosedRange<UInt16>]: Int32] = [:]
  private var partitions: [[Int32]: Partition] = [:]

  /// A division of all units into classes, such that each set contains either all units of a class or none.
  struct Partition {
    /// The classes, at least one; together they contain every unit.
    var classes: [[ClosedRange<UInt16>]]
    /// The cost of computing them, in ranges visited.
    var work: Int
  }

  /// Returns the number of a set, whose ranges must be in order, disjoint, not adjacent, and at least one.
  mutating func number(of set: [ClosedRange<UInt16>]) -> Int32 {
    if let known = numbers[set] { return known }
    let number = Int32(truncatingIfNeeded: ranges.count)
    ranges.append(set)
    numbers[set] = number
    return number
  }

  func contains(_ number: Int32, _ unit: UInt16) -> Bool {
    let set = ranges[Int(number)]
    var (low, high) = (0, set.count)
    while low < high {
      let middle = (low + high) / 2
      if set[middle].upperBound < unit { low = middle + 1 } else { high = middle }
    }
    return low < set.count && set[low].lowerBound <= unit
  }

  /// Returns the classes of units that the sets distinguish.
  mutating func partition(by sets: Set<Int32>) -> Partition {
    let key = sets.sorted()
    if let known = partitions[key] { return known }
    let partition = makePartition(by: key)
    partitions[key] = partition
    return partition
  }

  private func makePartition(by sets: [Int32]) -> Partition {
    var starts: Set<Int> = [0]
    for set in sets {
      for range in ranges[Int(set)] { starts.formUnion([Int(range.lowerBound), Int(range.upperBound) + 1]) }
    }
    starts.remove(0x10000)
    let borders = starts.sorted()
    var indexOfBorder: [Int: Int] = [:]
    for (index, border) in borders.enumerated() { indexOfBorder[border] = index }
    // Each set divides the existing classes: its part of a class becomes a separate class.
    var classOf = [Int](repeating: 0, count: borders.count)
    var classCount = 1
    var work = borders.count
    for set in sets {
      var divided: [Int: Int] = [:]
      for range in ranges[Int(set)] {
        var index = indexOfBorder[Int(range.lowerBound)] ?? 0
        while index < borders.count, borders[index] <= Int(range.upperBound) {
          let old = classOf[index]
          if divided[old] == nil {
            divided[old] = classCount
            classCount += 1
          }
          classOf[index] = divided[old] ?? old
          index += 1
          work += 1
        }
      }
    }
    var classes: [Int: [ClosedRange<UInt16>]] = [:]
    var order: [Int] = []
    for (index, border) in borders.enumerated() {
      let end = index + 1 < borders.count ? borders[index + 1] - 1 : 0xFFFF
      if classes[classOf[index]] == nil { order.append(classOf[index]) }
      classes[classOf[index], default: []].append(UInt16(border)...UInt16(end))
    }
    return Partition(classes: order.compactMap { classes[$0] }, work: work)
  }
}
