import HearthRules

/// Facts about the order of numbers. Sums and products are treated as numbers without a known value: for doubles, `x +
/// 1 == x` is possible, so conclusions of exact arithmetic may be false.
extension Facts {
  mutating func settleOrders() {
    var edges = orders
    for (a, b, isStrict) in noOrders where !mayBeNaN(a) && !mayBeNaN(b) {
      // For two numbers that are not NaN, one is less than the other, or they are equal.
      edges.append((b, a, !isStrict))
    }
    for term in active {
      switch table[term] {
      // A length is at least zero, and a request is not before the earliest time.
      case .length: edges.append((table.intern(.number(0)), term, false))
      case .now: edges.append((table.intern(.number(Double(table.nowMilliseconds))), term, false))
      case .arithmetic(let binary, let a, let b): edges += shiftEdges(term, binary, a, b)
      default: break
      }
    }
    for (index, edge) in edges.enumerated() {
      edges[index] = (root(edge.a), root(edge.b), edge.isStrict)
      activate(edge.a)
      activate(edge.b)
    }
    settleTextOrders()
    if isRefuted { return }
    var partialOrder = PartialOrder(edges) {
      constantNumber($0)
    } isLess: { a, b in
      if let x = constantNumber(a), let y = constantNumber(b) { x < y } else { false }
    }
    guard !partialOrder.isEmpty, !refutesOrEquates(partialOrder) else { return }
    var isTighter = false
    for (a, b) in unequal where !mayBeNaN(a) && !mayBeNaN(b) {
      // A number that is not greater than another and not equal to it is less.
      if partialOrder.tighten(root(a), root(b)) || partialOrder.tighten(root(b), root(a)) { isTighter = true }
    }
    if isTighter {
      partialOrder.close()
      if refutesOrEquates(partialOrder) { return }
    }
    bounds = partialOrder.bounds
  }

  /// Returns the order of a number and its sum with a constant: rounding keeps the order, so `x <= x + c` for `c >= 0`.
  /// The two certainly differ only for the time, a 64-bit integer, and for constants that are greater than the distance
  /// between adjacent doubles of that magnitude.
  private mutating func shiftEdges(
    _ term: TermID, _ binary: BinaryOperator, _ a: TermID, _ b: TermID
  ) -> [(a: TermID, b: TermID, isStrict: Bool)] {
    var (start, shift) = (a, 0.0)
    switch (binary, constantNumber(a), constantNumber(b)) {
    case (.add, _, let c?): shift = c
    case (.subtract, _, let c?): shift = -c
    case (.add, let c?, nil): (start, shift) = (b, c)
    default: return []
    }
    guard shift.isFinite, !mayBeNaN(start), types(start) == .number else { return [] }
    forbidNaN(term)  // a number plus a constant is not NaN
    let isStrict = abs(shift) >= 4096 && root(start) == root(table.intern(.now))
    return (shift >= 0 ? [(start, term, isStrict)] : []) + (shift <= 0 ? [(term, start, isStrict)] : [])
  }

  /// Derives the order of texts, by their UTF-16 units.
  private mutating func settleTextOrders() {
    guard textOrders.count > 1 else { return }
    let edges = textOrders.map { (a: root($0.a), b: root($0.b), isStrict: $0.isStrict) }
    let partialOrder = PartialOrder(edges) { _ in
      nil
    } isLess: { a, b in
      if let x = constantText(a), let y = constantText(b) { Text.precedes(x, y) } else { false }
    }
    _ = refutesOrEquates(partialOrder)
  }

  private mutating func refutesOrEquates(_ partialOrder: PartialOrder) -> Bool {
    // No value is less than itself.
    if partialOrder.isCyclic { refute() }
    // Two values, neither of which is greater than the other, are equal.
    for (a, b) in partialOrder.equals { unite(a, b) }
    return isRefuted
  }
}

/// The order of some numbers, or of some texts, closed under transitivity.
private struct PartialOrder {
  private enum Link: UInt8 { case none, lessOrEqual, less }

  private var nodes: [TermID] = []
  private var values: [Double?] = []
  private var links: [Link] = []
  private var numbers: [TermID: Int] = [:]

  var isEmpty: Bool { nodes.isEmpty }

  /// Creates the closure of the given edges.
  ///
  /// - Parameters:
  /// - value: Returns the known number of a term.
  /// - isLess: Returns true when one known constant is less than another.
  init(
    _ edges: [(a: TermID, b: TermID, isStrict: Bool)], value: (TermID) -> Double?, isLess: (TermID, TermID) -> Bool
  ) {
    for edge in edges {
      for term in [edge.a, edge.b] where numbers[term] == nil {
        // Numbers beyond the limit are ignored: fewer facts are derived, which is always sound.
        guard nodes.count < ExposureLimits.numbersMax else { continue }
        numbers[term] = nodes.count
        nodes.append(term)
        values.append(value(term))
      }
    }
    links = Array(repeating: .none, count: nodes.count * nodes.count)
    for edge in edges {
      guard let a = numbers[edge.a], let b = numbers[edge.b] else { continue }
      add(a, b, edge.isStrict ? .less : .lessOrEqual)
    }
    for i in nodes.indices {
      for j in nodes.indices {
        if isLess(nodes[i], nodes[j]) { add(i, j, .less) }
      }
    }
    close()
  }

  private mutating func add(_ a: Int, _ b: Int, _ link: Link) {
    let index = a * nodes.count + b
    if link.rawValue > links[index].rawValue { links[index] = link }
  }

  private func link(_ a: Int, _ b: Int) -> Link { links[a * nodes.count + b] }

  mutating func close() {
    for k in nodes.indices {
      for i in nodes.indices where link(i, k) != .none {
        for j in nodes.indices where link(k, j) != .none {
          add(i, j, link(i, k) == .less || link(k, j) == .less ? .less : .lessOrEqual)
        }
      }
    }
  }

  mutating func tighten(_ a: TermID, _ b: TermID) -> Bool {
    guard let a = numbers[a], let b = numbers[b], link(a, b) == .lessOrEqual else { return false }
    add(a, b, .less)
    return true
  }

  var isCyclic: Bool { nodes.indices.contains { link($0, $0) == .less } }

  var equals: [(TermID, TermID)] {
    var result: [(TermID, TermID)] = []
    for i in nodes.indices {
      for j in nodes.indices where i < j && link(i, j) != .none && link(j, i) != .none {
        result.append((nodes[i], nodes[j]))
      }
    }
    return result
  }

  var bounds: [TermID: NumberBounds] {
    var result: [TermID: NumberBounds] = [:]
    for i in nodes.indices {
      var bounds = NumberBounds()
      for j in nodes.indices {
        guard let value = values[j], i != j else { continue }
        if link(j, i) != .none, value > bounds.low || (value == bounds.low && link(j, i) == .less) {
          (bounds.low, bounds.isLowStrict) = (value, link(j, i) == .less)
        }
        if link(i, j) != .none, value < bounds.high || (value == bounds.high && link(i, j) == .less) {
          (bounds.high, bounds.isHighStrict) = (value, link(i, j) == .less)
        }
      }
      result[nodes[i]] = bounds
    }
    return result
  }
}
