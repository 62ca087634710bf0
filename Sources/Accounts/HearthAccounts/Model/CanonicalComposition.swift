/// Unicode's normalisation form C (UAX #15), which the standard library does not export.
///
/// For text without characters that are excluded from composition: callers refuse text with those before.
enum CanonicalComposition {
  private struct Pair: Hashable {
    var first: Unicode.Scalar
    var second: Unicode.Scalar
  }

  private static let tables: (composites: [Pair: Unicode.Scalar], pairs: [Unicode.Scalar: Pair]) = {
    var composites: [Pair: Unicode.Scalar] = [:]
    var pairs: [Unicode.Scalar: Pair] = [:]
    for entry in CompositionTable.text.description.split(separator: ",") {
      let scalars = entry.split(separator: " ").compactMap { UInt32($0, radix: 16).flatMap(Unicode.Scalar.init) }
      guard scalars.count == 3 else { continue }
      let pair = Pair(first: scalars[1], second: scalars[2])
      composites[pair] = scalars[0]
      pairs[scalars[0]] = pair
    }
    return (composites, pairs)
  }()

  /// Returns the text, fully composed and in canonical order.
  static func composed(_ text: [Unicode.Scalar]) -> [Unicode.Scalar] {
    if text.allSatisfy(\.isASCII) { return text }
    var scalars: [Unicode.Scalar] = []
    for scalar in text { decompose(scalar, into: &scalars) }
    order(&scalars)
    return compose(scalars)
  }

  private static func decompose(_ scalar: Unicode.Scalar, into scalars: inout [Unicode.Scalar]) {
    if let jamo = Hangul.decomposed(scalar) {
      scalars.append(contentsOf: jamo)
    } else if let pair = tables.pairs[scalar] {
      decompose(pair.first, into: &scalars)
      decompose(pair.second, into: &scalars)
    } else {
      scalars.append(scalar)
    }
  }

  private static func rank(_ scalar: Unicode.Scalar) -> UInt8 {
    scalar.isASCII ? 0 : scalar.properties.canonicalCombiningClass.rawValue
  }

  /// Sorts the marks behind each character, without changing the order of those that are equal.
  private static func order(_ scalars: inout [Unicode.Scalar]) {
    var start = 0
    while start < scalars.count {
      guard rank(scalars[start]) != 0 else {
        start += 1
        continue
      }
      let end = scalars[start...].firstIndex { rank($0) == 0 } ?? scalars.count
      let marks = scalars[start..<end].enumerated().sorted {
        (rank($0.element), $0.offset) < (rank($1.element), $1.offset)
      }
      scalars.replaceSubrange(start..<end, with: marks.map(\.element))
      start = end
    }
  }

  private static func compose(_ scalars: [Unicode.Scalar]) -> [Unicode.Scalar] {
    var result: [Unicode.Scalar] = []
    var starter: Int?
    var lastRank: UInt8 = 0
    for scalar in scalars {
      let rank = rank(scalar)
      // A mark is blocked by one of its own rank, or a higher one, between it and its character.
      let isAdjacent = starter == result.count - 1
      if let starter, isAdjacent || (lastRank < rank && rank != 0),
        let composite = composite(result[starter], scalar)
      {
        result[starter] = composite
        continue
      }
      if rank == 0 { starter = result.count }
      lastRank = rank
      result.append(scalar)
    }
    return result
  }

  private static func composite(_ first: Unicode.Scalar, _ second: Unicode.Scalar) -> Unicode.Scalar? {
    Hangul.composite(first, second) ?? tables.composites[Pair(first: first, second: second)]
  }
}

/// Korean syllables, whose composition is arithmetic (Unicode standard, section 3.12).
private enum Hangul {
  private static let (syllables, leads, vowels, tails): (UInt32, UInt32, UInt32, UInt32) = (
    0xAC00, 0x1100, 0x1161, 0x11A7
  )
  private static let (leadCount, vowelCount, tailCount): (UInt32, UInt32, UInt32) = (19, 21, 28)

  static func decomposed(_ scalar: Unicode.Scalar) -> [Unicode.Scalar]? {
    guard (syllables..<syllables + leadCount * vowelCount * tailCount).contains(scalar.value) else { return nil }
    let index = scalar.value - syllables
    let tail = index % tailCount
    let parts = [
      leads + index / (vowelCount * tailCount), vowels + index / tailCount % vowelCount, tail == 0 ? 0 : tails + tail,
    ]
    return parts.filter { $0 != 0 }.compactMap(Unicode.Scalar.init)
  }

  static func composite(_ first: Unicode.Scalar, _ second: Unicode.Scalar) -> Unicode.Scalar? {
    let (a, b) = (first.value, second.value)
    if (leads..<leads + leadCount).contains(a), (vowels..<vowels + vowelCount).contains(b) {
      return Unicode.Scalar(syllables + ((a - leads) * vowelCount + b - vowels) * tailCount)
    }
    let isOpen =
      (syllables..<syllables + leadCount * vowelCount * tailCount).contains(a) && (a - syllables) % tailCount == 0
    if isOpen, (tails + 1..<tails + tailCount).contains(b) { return Unicode.Scalar(a + b - tails) }
    return nil
  }
}
