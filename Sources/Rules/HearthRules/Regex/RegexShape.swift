/// The size of a regular expression's automaton, which decides the cost of matching a text.
///
/// RE2 builds the states of a deterministic automaton as a text needs them and keeps them while they fit; a text is
/// then matched at some nanoseconds a byte. Some short expressions have more states than fit anywhere: each holds any
/// set of positions at once. RE2 then follows all the positions at every byte.
enum RegexShape: Equatable {
  /// All states fit into memory.
  case small
  /// Many states, each of at most this many positions.
  case wide(Int)
  /// A size that is too expensive to compute when a file is compiled.
  case unknown

  /// The number of states, and of positions in all of them together, that certainly fit into the memory of a pattern.
  private static let statesMax = 1_000
  private static let placesMax = 50_000

  /// - Parameters:
  ///   - isAnchored: whether a match must begin at the beginning of the text, and end at its end.
  ///   - stepsLeft: the steps for the analysis; those taken are subtracted.
  init(
    of whole: RegexGraph.Fragment, in graph: RegexGraph, isAnchored: (start: Bool, end: Bool), stepsLeft: inout Int
  ) {
    var walk = RegexStates(whole, in: graph, isAnchored: isAnchored)
    guard graph.isComplete, walk.run(stepsLeft: &stepsLeft) else {
      self = .unknown
      return
    }
    let isSmall = walk.stateCount <= Self.statesMax && walk.placeCount <= Self.placesMax
    self = isSmall ? .small : .wide(max(1, walk.widthMax))
  }
}

/// All states of matching: sets of positions, found one after another from the first.
private struct RegexStates {
  private let graph: RegexGraph
  private let isAnchored: (start: Bool, end: Bool)
  private let first: [Int32]
  private var isLast: [Bool]
  /// The classes of units in each set: no set distinguishes two units of a class.
  private let classesOfSet: [[Int32]]
  private let classCount: Int

  private(set) var stateCount = 1
  private(set) var placeCount = 0
  private(set) var widthMax = 0

  init(_ whole: RegexGraph.Fragment, in graph: RegexGraph, isAnchored: (start: Bool, end: Bool)) {
    self.graph = graph
    self.isAnchored = isAnchored
    first = whole.first
    isLast = Array(repeating: false, count: graph.follow.count)
    for position in whole.last { isLast[Int(position)] = true }
    var borders: Set<Int> = []
    for range in graph.sets.joined() { borders.formUnion([Int(range.lowerBound), Int(range.upperBound) + 1]) }
    let starts = borders.sorted()
    classCount = starts.count
    classesOfSet = graph.sets.map { ranges in
      var classes: Set<Int32> = []
      for range in ranges {
        var index = starts.partitioningIndex(from: Int(range.lowerBound))
        while index < starts.count, starts[index] <= Int(range.upperBound) {
          classes.insert(Int32(index))
          index += 1
        }
      }
      return classes.sorted()
    }
  }

  /// - Returns: False when the steps were not enough to find all of them.
  mutating func run(stepsLeft: inout Int) -> Bool {
    stepsLeft -= classesOfSet.reduce(0) { $0 + $1.count }
    var known: Set<[Int32]> = []
    var open = [first]  // what can be next; for all but the first state, what comes after its positions
    var mark = [Int32](repeating: -1, count: graph.follow.count)
    var turn: Int32 = 0
    while let candidates = open.popLast() {
      var buckets = [[Int32]](repeating: [], count: classCount)
      stepsLeft -= classCount
      for position in candidates {
        let classes = classesOfSet[Int(graph.setOfPosition[Int(position)])]
        stepsLeft -= classes.count
        guard stepsLeft >= 0 else { return false }
        for unitClass in classes { buckets[Int(unitClass)].append(position) }
      }
      for state in buckets where !state.isEmpty && known.insert(state).inserted {
        stateCount += 1
        placeCount += state.count
        widthMax = max(widthMax, state.count)
        // A match that need not go on to the end is found here.
        if !isAnchored.end, state.contains(where: { isLast[Int($0)] }) { continue }
        turn += 1
        var next: [Int32] = []
        func add(_ positions: [Int32]) {
          stepsLeft -= positions.count
          for position in positions where mark[Int(position)] != turn {
            mark[Int(position)] = turn
            next.append(position)
          }
        }
        for position in state { add(graph.follow[Int(position)]) }
        if !isAnchored.start { add(first) }
        guard stepsLeft >= 0 else { return false }
        next.sort()
        open.append(next)
      }
    }
    return stepsLeft >= 0
  }
}

extension [Int] {
  /// The index of the first element that is not below `value`. The elements are in order.
  fileprivate func partitioningIndex(from value: Int) -> Int {
    var (low, high) = (0, count)
    while low < high {
      let middle = (low + high) / 2
      if self[middle] < value { low = middle + 1 } else { high = middle }
    }
    return low
  }
}
