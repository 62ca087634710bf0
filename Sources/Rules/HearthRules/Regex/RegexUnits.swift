/// Sets of UTF-16 units in regular expressions.
package enum RegexUnits {
  static let classes: [UInt16: [ClosedRange<UInt16>]] = {
    let digits: [ClosedRange<UInt16>] = [0x30...0x39]
    let word: [ClosedRange<UInt16>] = [0x30...0x39, 0x41...0x5A, 0x5F...0x5F, 0x61...0x7A]
    // space, tab, line feed, vertical tab, form feed, carriage return
    let space: [ClosedRange<UInt16>] = [0x09...0x0D, 0x20...0x20]
    return [
      RegexParser.unit("d"): digits, RegexParser.unit("D"): complement(digits),
      RegexParser.unit("w"): word, RegexParser.unit("W"): complement(word),
      RegexParser.unit("s"): space, RegexParser.unit("S"): complement(space),
    ]
  }()

  /// Returns all units that are in none of the ranges, which must be sorted and disjoint.
  package static func complement(_ ranges: [ClosedRange<UInt16>]) -> [ClosedRange<UInt16>] {
    var result: [ClosedRange<UInt16>] = []
    var next = 0
    for range in ranges {
      if Int(range.lowerBound) > next { result.append(UInt16(next)...(range.lowerBound - 1)) }
      next = Int(range.upperBound) + 1
    }
    if next <= 0xFFFF { result.append(UInt16(next)...0xFFFF) }
    return result
  }

  /// Returns the same units in ranges that are sorted, disjoint and not adjacent.
  package static func merged(_ ranges: [ClosedRange<UInt16>]) -> [ClosedRange<UInt16>] {
    var result: [ClosedRange<UInt16>] = []
    for range in ranges.sorted(by: { $0.lowerBound < $1.lowerBound }) {
      if let last = result.last, Int(range.lowerBound) <= Int(last.upperBound) + 1 {
        result[result.count - 1] = last.lowerBound...max(last.upperBound, range.upperBound)
      } else {
        result.append(range)
      }
    }
    return result
  }

  /// Returns the ranges, and the units of their letters in the other case. ASCII letters correspond only to ASCII
  /// letters.
  static func withBothCases(_ ranges: [ClosedRange<UInt16>]) -> [ClosedRange<UInt16>] {
    var others: Set<UInt16> = []
    for range in ranges {
      var index = firstPair(from: range.lowerBound)
      while index < casePairs.count, casePairs[index].unit <= range.upperBound {
        others.insert(casePairs[index].other)
        index += 1
      }
    }
    return ranges + others.sorted().map { $0...$0 }
  }

  private static func firstPair(from unit: UInt16) -> Int {
    var (low, high) = (0, casePairs.count)
    while low < high {
      let middle = (low + high) / 2
      if casePairs[middle].unit < unit { low = middle + 1 } else { high = middle }
    }
    return low
  }

  /// The units that have another case of one unit, in order.
  private static let casePairs: [(unit: UInt16, other: UInt16)] = {
    var pairs: [(unit: UInt16, other: UInt16)] = []
    for unit in UInt16.min...UInt16.max {
      guard let properties = Unicode.Scalar(unit)?.properties, properties.isCased else { continue }
      for mapping in [properties.lowercaseMapping, properties.uppercaseMapping] {
        let units = Array(mapping.utf16)
        guard units.count == 1, units[0] != unit, (units[0] < 0x80) == (unit < 0x80) else { continue }
        pairs.append((unit, units[0]))
      }
    }
    return pairs
  }()

  /// Returns a character class in RE2's syntax.
  static func pattern(_ ranges: [ClosedRange<UInt16>], isNegated: Bool) -> String {
    var text = isNegated ? "[^" : "["
    for range in ranges {
      text += escape(range.lowerBound)
      if range.count > 1 { text += "-" + escape(range.upperBound) }
    }
    return text + "]"
  }

  private static func escape(_ unit: UInt16) -> String { "\\x{\(String(unit, radix: 16))}" }
}
