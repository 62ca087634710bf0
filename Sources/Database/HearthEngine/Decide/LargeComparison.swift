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

  fileprivate var isWrite: Bool { if case .write = command.action { true } else { false } }

  /// Makes the comparison. Takes as long as hashing the value does.
  public func compared() -> ComparisonResult {
    guard value.hashedBytes(upTo: sizeBytesMax) != nil else { return ComparisonResult(comparison: self) }
    let hashes = ValueHashes(value, place.isExact ? .exact : isWrite ? .every : .standard)
    let isMatch = hashes.texts.contains(hash) && (isWrite || !hashes.isAmbiguous)
    var result = ComparisonResult(comparison: self, hashes: hashes, isMatch: isMatch)
    if !isMatch, !hashes.isAmbiguous, let compound { result.ranges = value.rangeMerges(against: compound) }
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

  /// The version of the value that was compared, when the place is still the same.
  func value(of query: Query?, at path: Path, _ source: Node) -> Node? {
    let isSame =
      comparison.place == HashCache.Place(path: path, query: query) && comparison.source.isIdentical(to: source)
    return isSame ? comparison.value : nil
  }

  /// Returns true when comparing again could show that the client holds the present value, or some of it.
  fileprivate func isWorthAnother(_ node: Node) -> Bool {
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
  /// Sets a compared write aside when its comparison takes long, and tells its writer when it has shown to be late.
  ///
  /// A writer whose hash was not that of the value is late, whatever has changed meanwhile: what a client may know was
  /// there before it asked.
  ///
  /// - Returns: False when the write is to be decided.
  static func settles(_ command: Command, _ operation: WriteOperation, in engine: inout Engine) -> Bool {
    guard engine.setsAside, let hash = operation.expectedHash, let principal = engine.principal(of: command) else {
      return false
    }
    let (path, node) = (operation.path, engine.state.root[operation.path])
    if let result = engine.comparing {
      if result.isMatch, result.comparison.source.isIdentical(to: node) { return false }
      guard engine.state.readRefusal(path, principal, at: engine.now) == nil else { return false }
      if !result.isWorthAnother(node) {
        engine.tap?.noteRead(.compare, path, nil, principal, engine.state, engine.now, true)
        engine.reply(command, .stale(node))
        return true
      }
    } else {
      guard isLong(node, at: HashCache.Place(path: path, of: hash), in: &engine) else { return false }
      guard engine.state.readRefusal(path, principal, at: engine.now) == nil else { return false }
    }
    engine.comparison = LargeComparison(
      command: command, place: HashCache.Place(path: path, of: hash), source: node, value: node, hash: hash,
      compound: nil,
      sizeBytesMax: .max)
    return true
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
    if let result = engine.comparing {
      guard result.isWorthAnother(value) else { return false }
    } else {
      var bytes = 0
      if let compound = request.compound {
        // Ranges are hashed anew for each client.
        let isKnown = engine.hashes.hashedBytes(value, at: place, upTo: 0) == 0
        let holdsAll =
          isKnown && engine.hashes.isKnown(value, at: place.path, query: query, hash: request.hash)
        bytes =
          holdsAll
          ? 0 : (compound.posts.count + 1) * 64 + (value.hashedBytes(upTo: engine.limits.hashBytesInLine) ?? .max / 2)
      }
      guard isLong(value, at: place, plus: bytes, in: &engine) else { return false }
    }
    engine.comparison = LargeComparison(
      command: command, place: place, source: engine.state.root[request.path], value: value, hash: request.hash,
      compound: request.compound, sizeBytesMax: engine.limits.hashSizeBytesMax)
    return true
  }

  /// Sets aside the first write of a connection that waits for its turn and takes long to compare: what the connection asks
  /// for next comes after it.
  static func setsAsideWaiting(of connection: ConnectionID, in engine: inout Engine) -> Bool {
    guard engine.setsAside else { return false }
    let (root, hashes, bytesMax) = (engine.state.root, engine.hashes, engine.limits.hashBytesInLine)
    let waiting = engine.turns.takeFirst(of: connection) { command in
      guard case .write(let operation) = command.action else { return false }
      let place = HashCache.Place(path: operation.path, of: operation.expectedHash ?? "")
      return !hashes.isCheap(root[operation.path], at: place, sizeBytesMax: bytesMax)
    }
    guard let waiting, case .write(let operation) = waiting.action else { return false }
    let node = root[operation.path]
    let hash = operation.expectedHash ?? ""
    engine.comparison = LargeComparison(
      command: waiting, place: HashCache.Place(path: operation.path, of: hash), source: node, value: node,
      hash: hash, compound: nil, sizeBytesMax: .max)
    return true
  }

  /// Returns true when comparing takes longer than a command may take. Otherwise its steps are counted for the command
  /// under way.
  private static func isLong(
    _ node: Node, at place: HashCache.Place, plus bytes: Int = 0, in engine: inout Engine
  ) -> Bool {
    let bytesMax = engine.limits.hashBytesInLine - bytes
    guard bytesMax >= 0,
      let hashed = engine.hashes.hashedBytes(node, at: place, upTo: bytesMax)
    else { return true }
    engine.meter.stepsTaken += (hashed + bytes) / EngineLimits.hashedBytesPerStep
    return false
  }
}
