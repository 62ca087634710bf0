import HearthTree

/// A comparison of what a client holds with a large value, and all that it needs: one version of the value.
///
/// It is made on any thread while the engine goes on. Then ``Engine/settle(_:at:isLast:)`` decides the command that
/// compares.
public struct LargeComparison: Sendable {
  /// As it was handed over.
  package let command: Command
  let place: HashCache.Place
  /// The value at the place.
  let source: Node
  /// ``source``, or what of it the query of the place finds.
  let value: Node
  /// The hash of the value that the client holds.
  let hash: String
  /// The same by ranges; nil when the client did not say.
  let compound: CompoundHash?
  /// A larger value is not compared.
  let sizeBytesMax: Int
  /// True when the hash of the value is known, and the comparison is of ranges.
  package let isHashKnown: Bool
  /// The listen's query as it was worked out beside the other commands; nil when that was not needed.
  var found: FoundQuery?

  private var isWrite: Bool { if case .write = command.action { true } else { false } }

  /// Makes the comparison. Takes as long as hashing the value does.
  public func compared() -> ComparisonResult {
    var result = ComparisonResult(comparison: self)
    guard let bytes = value.hashedBytes(upTo: sizeBytesMax) else {
      result.steps = EngineLimits.steps(ofCounting: sizeBytesMax)
      return result
    }
    let hashes = ValueHashes(value, place.isExact ? .exact : isWrite ? .every : .standard)
    result.steps = bytes / EngineLimits.hashedBytesPerStep * hashes.texts.count
    (result.hashes, result.isMatch) = (hashes, hashes.texts.contains(hash) && (isWrite || !hashes.isAmbiguous))
    if !result.isMatch, !hashes.isAmbiguous, let compound {
      result.ranges = value.rangeMerges(against: compound)
      result.steps += bytes / EngineLimits.hashedBytesPerStep
    }
    return result
  }
}

/// A ``LargeComparison`` with its outcome.
public struct ComparisonResult: Sendable {
  /// The comparison that was made.
  package let comparison: LargeComparison
  /// Those of the value; `nil` when it was too large to be compared.
  var hashes: ValueHashes?
  /// The client holds the value.
  var isMatch = false
  /// The ranges in which the client holds something else; nil when it did not send any.
  var ranges: [RangeMerge]?
  /// The command is not set aside again, whatever has changed meanwhile.
  var isLast = false
  /// The steps that it took.
  package fileprivate(set) var steps = 0

  /// The outcome of a comparison that is not made: a listener is sent the whole value.
  package static func notMade(_ comparison: LargeComparison) -> ComparisonResult {
    ComparisonResult(comparison: comparison)
  }

  /// Returns true when a write finds what its writer holds at its path.
  func isMatch(of node: Node) -> Bool { isMatch && comparison.source.isIdentical(to: node) }

  /// The version of the value that was compared, when the place is still the same.
  func value(of query: Query?, at path: Path, _ source: Node) -> Node? {
    let isSame =
      comparison.place == HashCache.Place(path: path, query: query) && comparison.source.isIdentical(to: source)
    return isSame ? comparison.value : nil
  }

  /// Returns true when comparing again could show that the client holds the present value, or some of it.
  func isWorthAnother(_ node: Node) -> Bool {
    !isLast && (isMatch || ranges != nil) && !comparison.value.isIdentical(to: node)
  }

  func keep(in cache: inout HashCache) {
    if let hashes { cache.keep(hashes, of: comparison.value, at: comparison.place) }
  }

  /// The first change that a listener is told: see ``HashCache/firstChange(for:_:sizeBytesMax:)``.
  func firstChange(_ node: Node) -> Event.Change? {
    guard comparison.value.isIdentical(to: node) else { return .put(node) }
    if isMatch { return nil }
    guard let ranges else { return .put(node) }
    return ranges.isEmpty ? nil : .ranges(ranges)
  }
}

// MARK: - In the engine

extension LargeComparison {
  /// Sets a compared write aside that its writer may make if what it compares holds.
  static func setAside(_ command: Command, _ operation: WriteOperation, in engine: inout Engine) {
    let (node, hash) = (engine.state.root[operation.path], operation.expectedHash ?? "")
    engine.largeCommand = .comparison(
      LargeComparison(
        command: command, place: HashCache.Place(path: operation.path, of: hash), source: node, value: node, hash: hash,
        compound: nil, sizeBytesMax: .max, isHashKnown: false))
  }

  /// Sets a listen aside that was allowed, when comparing what its client holds takes long.
  ///
  /// - Parameters:
  ///   - value: What it would be sent.
  ///   - query: Of which it is what is found; nil for all there is.
  /// - Returns: False when the listen may begin.
  static func setsAside(
    _ command: Command, _ request: ListenRequest, _ value: Node, of query: Query?, in engine: inout Engine
  ) -> Bool {
    guard engine.setsAside, !value.isEmpty, !request.hash.isEmpty || request.compound != nil else { return false }
    let place = HashCache.Place(path: request.path, query: query)
    let isKnown = engine.hashes.hashedBytes(value, at: place, upTo: 0) == 0
    var bytes = 0
    if let result = engine.comparing {
      guard result.isWorthAnother(value) else { return false }
    } else {
      if let compound = request.compound {
        // Ranges are hashed anew for each client.
        let holdsAll =
          isKnown && engine.hashes.isKnown(value, at: place.path, query: query, hash: request.hash)
        bytes =
          holdsAll
          ? 0 : (compound.posts.count + 1) * 64 + (value.hashedBytes(upTo: engine.limits.hashBytesInLine) ?? .max / 2)
      }
      guard !isInLine(value, at: place, plus: bytes, in: &engine) else { return false }
    }
    engine.largeCommand = .comparison(
      LargeComparison(
        command: command, place: place, source: engine.state.root[request.path], value: value, hash: request.hash,
        compound: request.compound, sizeBytesMax: engine.limits.hashSizeBytesMax, isHashKnown: isKnown,
        found: engine.queries.found))
    return true
  }
}

extension LargeComparison {
  /// Returns true when comparing takes no longer than a command may take. Its steps count for the command under way.
  static func isInLine(
    _ node: Node, at place: HashCache.Place, plus bytes: Int = 0, in engine: inout Engine
  ) -> Bool {
    let bytesMax = engine.limits.hashBytesInLine - bytes
    guard bytesMax >= 0, let hashed = engine.hashes.hashedBytes(node, at: place, upTo: bytesMax) else {
      engine.meter.stepsTaken += EngineLimits.steps(ofCounting: engine.limits.hashBytesInLine)
      return false
    }
    engine.meter.stepsTaken += (hashed + bytes) / EngineLimits.hashedBytesPerStep
    return true
  }
}

extension EngineLimits {
  /// The steps of a look at each node of a value that counts for so many bytes.
  fileprivate static func steps(ofCounting bytes: Int) -> Int { bytes / 64 }
}
