/// The positions of a regular expression at which a unit can match, with their successors.
///
/// It is used to compute the cost of matching in advance, see ``RegexShape``; RE2 performs the matching.
struct RegexGraph {
  /// A part of the expression. Its positions form one range.
  struct Fragment {
    /// The positions at which a match of the part can begin, and end.
    var first: [Int32]
    var last: [Int32]
    var isNullable: Bool
    var positions: Range<Int32>
  }

  /// The sets of units that occur, each stored once. `setOfPosition` has the set that each position matches.
  private(set) var sets: [[ClosedRange<UInt16>]] = []
  private(set) var setOfPosition: [Int32] = []
  /// The successors of each position.
  private(set) var follow: [[Int32]] = []
  /// The remaining steps; negative when they were not sufficient and the graph is incomplete.
  private(set) var stepsLeft: Int

  private var setNumbers: [[ClosedRange<UInt16>]: Int32] = [:]

  init(stepsMax: Int) { stepsLeft = stepsMax }

  var isComplete: Bool { stepsLeft >= 0 }

  /// A part that matches only the empty text.
  var nothing: Fragment {
    let end = Int32(follow.count)
    return Fragment(first: [], last: [], isNullable: true, positions: end..<end)
  }

  /// Adds a part that matches one unit of a set.
  mutating func unit(in ranges: [ClosedRange<UInt16>]) -> Fragment {
    guard spend(ranges.count) else { return nothing }
    let number = setNumbers[ranges] ?? Int32(sets.count)
    if Int(number) == sets.count {
      setNumbers[ranges] = number
      sets.append(ranges)
    }
    return place(number)
  }

  private mutating func place(_ set: Int32) -> Fragment {
    guard spend(1) else { return nothing }
    let position = Int32(follow.count)
    setOfPosition.append(set)
    follow.append([])
    return Fragment(first: [position], last: [position], isNullable: false, positions: position..<position + 1)
  }

  /// Adds the sequence of two parts. Their positions must be adjacent: `b` was added directly after `a`.
  mutating func sequence(_ a: Fragment, _ b: Fragment) -> Fragment {
    link(a.last, to: b.first)
    _ = spend((a.isNullable ? b.first.count : 0) + (b.isNullable ? b.last.count : 0))
    return Fragment(
      first: a.isNullable ? a.first + b.first : a.first, last: b.isNullable ? a.last + b.last : b.last,
      isNullable: a.isNullable && b.isNullable, positions: a.positions.lowerBound..<b.positions.upperBound)
  }

  mutating func either(_ a: Fragment, _ b: Fragment) -> Fragment {
    _ = spend(a.first.count + b.first.count + a.last.count + b.last.count)
    return Fragment(
      first: a.first + b.first, last: a.last + b.last, isNullable: a.isNullable || b.isNullable,
      positions: a.positions.lowerBound..<b.positions.upperBound)
  }

  /// Adds a repetition of a part, `least` to `most` times; when `most` is nil, any number of times. The part must be
  /// the last one that was added.
  mutating func repeated(_ part: Fragment, _ least: Int, _ most: Int?) -> Fragment {
    guard most != 0 else { return Fragment(first: [], last: [], isNullable: true, positions: part.positions) }
    var copies = [part]
    while copies.count < max(1, most ?? least), isComplete { copies.append(copy(part)) }
    if most == nil, let last = copies.last { link(last.last, to: last.first) }
    var whole = copies[0]
    if least == 0 { whole.isNullable = true }
    var last = whole.last
    for (index, copy) in copies.enumerated().dropFirst() {
      guard isComplete else { break }
      link(last, to: copy.first)
      if part.isNullable {
        last += copy.last
        whole.first += copy.first
      } else {
        // Optional copies are nested, (x(x(x)?)?)?: each copy is followed only by the next, and a match begins with the
        // first.
        last = copy.last
      }
      if index < least, !part.isNullable { whole.last = [] }
      whole.last += copy.last
    }
    whole.positions = part.positions.lowerBound..<Int32(follow.count)
    _ = spend(whole.first.count + whole.last.count)
    return whole
  }

  private mutating func copy(_ part: Fragment) -> Fragment {
    let shift = Int32(follow.count) - part.positions.lowerBound
    for position in part.positions {
      guard spend(1 + follow[Int(position)].count) else { return nothing }
      setOfPosition.append(setOfPosition[Int(position)])
      // Successors in an earlier copy are not copied.
      follow.append(follow[Int(position)].filter { part.positions.contains($0) }.map { $0 + shift })
    }
    return Fragment(
      first: part.first.map { $0 + shift }, last: part.last.map { $0 + shift }, isNullable: part.isNullable,
      positions: part.positions.lowerBound + shift..<part.positions.upperBound + shift)
  }

  private mutating func link(_ ends: [Int32], to starts: [Int32]) {
    guard spend(ends.count * starts.count) else { return }
    for end in ends { follow[Int(end)] += starts }
  }

  private mutating func spend(_ steps: Int) -> Bool {
    stepsLeft -= steps
    return stepsLeft >= 0
  }
}
