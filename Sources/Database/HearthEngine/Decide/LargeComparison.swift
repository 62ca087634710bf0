import HearthTree

/// A comparison of a client's data with a large value, with all its inputs: one version of the value.
///
/// It runs on any thread while the engine continues. Then ``Engine/settle(_:at:isLast:)`` decides the command.
public struct LargeComparison: Sendable {
  /// The command as it was submitted.
  package let command: Command
  let place: HashCache.Place
  /// The value at the location.
  let source: Node
  /// The value to compare: ``source``, or the result of the query on it.
  let value: Node
  /// The hash of the client's data.
  let hash: String
  /// The hashes of the client's data by ranges; nil when the client sent none.
  let compound: CompoundHash?
  /// The largest value that is compared, in bytes.
  let sizeBytesMax: Int
  /// True when the hash of the value is cached, and only ranges are compared.
  package let isHashKnown: Bool
  /// The result of the listen's query, evaluated in the background; nil when that was not needed.
  var found: EvaluatedQuery?

  private var isWrite: Bool { if case .write = command.action { true } else { false } }

  /// Performs the comparison, which takes as long as hashing the value. Pages are not put into the version.
  public func compared() -> ComparisonResult {
    var (result, faults) = FaultScope.run(.stream) { comparedNow() }
    result.steps += EngineLimits.steps(ofReads: faults.count)
    result.isIncomplete = faults.isIncomplete
    return result
  }

  private func comparedNow() -> ComparisonResult {
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
  /// The comparison.
  package let comparison: LargeComparison
  /// The hashes of the value; `nil` when it was too large to compare.
  var hashes: ValueHashes?
  /// True when the client holds the value.
  var isMatch = false
  /// The ranges in which the client's data differs; nil when it sent none.
  var ranges: [RangeMerge]?
  /// The number of its steps.
  package fileprivate(set) var steps = 0
  /// True when a page could not be read, so that the result is wrong.
  fileprivate(set) var isIncomplete = false

  /// Returns the outcome of a skipped comparison: a listener receives the whole value.
  package static func notMade(_ comparison: LargeComparison) -> ComparisonResult {
    ComparisonResult(comparison: comparison)
  }

  /// Returns true when the data at a write's path equals the writer's expected value.
  func isMatch(of node: Node) -> Bool { isMatch && comparison.source.isIdentical(to: node) }

  /// Returns the compared version of the value when the location is unchanged, or nil.
  func value(of query: Query?, at path: Path, _ source: Node) -> Node? {
    let isSame =
      comparison.place == HashCache.Place(path: path, query: query) && comparison.source.isIdentical(to: source)
    return isSame ? comparison.value : nil
  }

  /// Returns true when the value has changed since it was compared, and another comparison could show that the client
  /// holds the present value or a part of it.
  func isWorthAnother(_ node: Node, isLast: Bool) -> Bool {
    !isLast && (isMatch || ranges != nil) && !comparison.value.isIdentical(to: node)
  }

  func keep(in cache: inout HashCache) {
    if let hashes, !isIncomplete { cache.keep(hashes, of: comparison.value, at: comparison.place) }
  }

  /// Returns the first event of a listener: see ``HashCache/firstChange(for:_:sizeBytesMax:)``.
  func firstChange(_ node: Node) -> Event.Change? {
    guard comparison.value.isIdentical(to: node) else { return .put(node) }
    if isMatch { return nil }
    guard let ranges else { return .put(node) }
    return ranges.isEmpty ? nil : .ranges(ranges)
  }
}

// MARK: - In the engine

extension Engine {
  /// Decides a command whose comparison was made in the background.
  ///
  /// - Parameter isLast: True to decide in any case, even when the compared data has changed. A write is then answered
  ///   as stale, and a listener receives all data.
  public mutating func settle(_ result: ComparisonResult, at instant: Instant, isLast: Bool) -> Batch {
    comparing = result
    (queries.found, queries.isLastAttempt) = (result.comparison.found, isLast)
    defer { (comparing, queries.found, queries.isLastAttempt, queries.hasExhaustedAttempts) = (nil, nil, false, false) }
    result.keep(in: &hashes)
    let command = result.comparison.command
    return decide([command], at: instant, settingAside: true).noting(result.steps, of: command)
  }
}

extension LargeComparison {
  /// Leaves a compared write to the background if the rules permit it, provided that its comparison matches.
  static func setAside(_ command: Command, _ operation: WriteOperation, in engine: inout Engine) {
    let (node, hash) = (engine.state.root[operation.path], operation.expectedHash ?? "")
    engine.largeCommand = .comparison(
      LargeComparison(
        command: command, place: HashCache.Place(path: operation.path, of: hash), source: node, value: node, hash: hash,
        compound: nil, sizeBytesMax: .max, isHashKnown: false))
  }

  /// Leaves a permitted listen to the background when the comparison with the client's data takes long.
  ///
  /// - Parameters:
  /// - value: The data for the client.
  /// - query: The query whose result the value is; nil for all data.
  /// - Returns: False when the listen may begin now.
  static func setsAside(
    _ command: Command, _ request: ListenRequest, _ value: Node, of query: Query?, in engine: inout Engine
  ) -> Bool {
    guard engine.setsAside, !value.isEmpty, !request.hash.isEmpty || request.compound != nil else { return false }
    let place = HashCache.Place(path: request.path, query: query)
    let isKnown = engine.hashes.hashedBytes(value, at: place, upTo: 0) == 0
    var bytes = 0
    if let result = engine.comparing {
      guard result.isWorthAnother(value, isLast: engine.queries.isLastAttempt) else { return false }
    } else {
      if let compound = request.compound {
        // Ranges are hashed for each client anew, even when the hash of the value is cached.
        let holdsAll =
          isKnown && engine.hashes.isKnown(value, at: place.path, query: query, hash: request.hash)
        bytes =
          holdsAll
          ? 0
          : (compound.posts.count + 1) * 64 + (value.hashedBytes(upTo: engine.limits.inlineHashBytesMax) ?? .max / 2)
      }
      guard !canRunInline(value, at: place, plus: bytes, in: &engine) else { return false }
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
  /// Returns true when the comparison is short enough to be made on the deciding queue. Its steps then count for the
  /// current command.
  static func canRunInline(
    _ node: Node, at place: HashCache.Place, plus bytes: Int = 0, in engine: inout Engine
  ) -> Bool {
    let bytesMax = engine.limits.inlineHashBytesMax - bytes
    guard bytesMax >= 0, let hashed = engine.hashes.hashedBytes(node, at: place, upTo: bytesMax) else {
      engine.meter.stepsTaken += EngineLimits.steps(ofCounting: engine.limits.inlineHashBytesMax)
      return false
    }
    engine.meter.stepsTaken += (hashed + bytes) / EngineLimits.hashedBytesPerStep
    return true
  }
}

extension EngineLimits {
  /// Returns the number of steps for examining each node of a value of the given size.
  fileprivate static func steps(ofCounting bytes: Int) -> Int { bytes / 64 }
}
