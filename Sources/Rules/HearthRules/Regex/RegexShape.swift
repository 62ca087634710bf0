/// The size of a regular expression's automaton, which decides the cost of matching a text.
///
/// RE2 builds the states of a deterministic automaton on demand and caches them while they fit into memory; matching
/// then takes a few nanoseconds per byte. Some short expressions have too many states for any memory, because each
/// state is a set of positions. RE2 then follows all the positions at every byte.
enum RegexShape: Equatable {
  /// All states fit into memory.
  case small
  /// The states do not fit into memory; the value is the maximum number of positions in a state.
  case wide(Int)
  /// The size is not known, because computing it would be too expensive when a file is compiled.
  case unknown

  /// The number of states, and of positions in all of them together, that certainly fit into the memory of a pattern.
  private static let statesMax = 1_000
  private static let placesMax = 50_000

  /// Computes the shape.
  ///
  /// - Parameters:
  /// - isAnchored: True when a match must begin at the beginning of the text, and true when it must end at its end.
  /// - stepsLeft: The maximum number of steps of the analysis; those taken are subtracted.
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

/// The states of the automaton, which are sets of positions; they are found one after another, starting with the first.
private struct RegexStates {
  private let graph: RegexGraph
  private let isAnchored: (start: Bool, end: Bool)
  private let first: [Int32]
  private var isLast: [Bool]
  /// The classes of units in each set: a set contains either all units of a class or none.
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

  /// Finds the states.
  ///
  /// - Returns: False when the steps were not sufficient to find all states.
  mutating func run(stepsLeft: inout Int) -> Bool {
    stepsLeft -= classesOfSet.reduce(0) { $0 + $1.count }
    var known: Set<[Int32]> = []
    var open = [first]  // each the possible next positions after a state
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
        // Without an end anchor, the match is complete here.
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
  /// Returns the index of the first element that is at least `value`. The elements must be sorted.
  fileprivate func partitioningIndex(from value: Int) -> Int {
    var (low, high) = (0, count)
    while low < high {
      let middle = (low + high) / 2
      if self[middle] < value { low = middle + 1 } else { high = middle }
    }
    return low
  }
}
