import HearthRules
import HearthTree

/// The outcome of comparing the data that the writer expects with the present data.
enum WriteComparison {
  /// The writer expects the present data, or requested no comparison.
  case matches
  /// The writer expects other data than the present data, which is the value.
  case stale(Node)
  /// The comparison takes long, so the rules are evaluated before it.
  case expensive

  init(of operation: WriteOperation, in engine: inout Engine) {
    guard let hash = operation.expectedHash else {
      self = .matches
      return
    }
    let node = engine.state.root[operation.path]
    if let made = engine.comparing {
      let isWorthAnother = made.isWorthAnother(node, isLast: engine.queries.isLastAttempt)
      self = made.isMatch(of: node) ? .matches : isWorthAnother ? .expensive : .stale(node)
    } else if LargeComparison.canRunInline(node, at: HashCache.Place(path: operation.path, of: hash), in: &engine) {
      self = WriteHandler.stale(operation, in: &engine).map { .stale($0) } ?? .matches
    } else {
      self = .expensive
    }
  }

  /// Uses the outcome of the background comparison of a write with a large value, or leaves the comparison to the
  /// background.
  ///
  /// - Returns: False when the write is answered, or left to the background.
  static func isMade(for command: Command, _ operation: WriteOperation, in engine: inout Engine) -> Bool {
    let (node, bytesMax) = (engine.state.root[operation.path], engine.limits.touchedBytesMax)
    if node.heldBytes(upTo: bytesMax) > bytesMax {
      engine.fail(command, .writeTooBig)
    } else if engine.setsAside {
      LargeComparison.setAside(command, operation, in: &engine)
    } else {
      engine.meter.stepsTaken += (node.hashedBytes(upTo: .max) ?? 0) / EngineLimits.hashedBytesPerStep
      guard let stale = WriteHandler.stale(operation, in: &engine) else { return true }
      engine.reply(command, .stale(stale))
    }
    return false
  }
}

extension Candidate {
  /// Returns the request for the rules.
  func request(of principal: Principal, in engine: borrowing Engine) -> WriteRequest {
    WriteRequest(
      oldRoot: engine.state.root, newRoot: root, locations: locations, auth: principal.auth,
      nowMilliseconds: engine.now.wallMilliseconds)
  }

  /// Returns true when the rules refuse this write but may allow another one, which the client computes from the
  /// present data.
  func mayBeAllowed(to principal: Principal, in engine: borrowing Engine) -> Bool {
    !principal.isReadOnly
      && engine.state.rules.readsNewData(
        request(of: principal, in: engine), around: base, stepsMax: engine.limits.largeWriteSteps)
  }
}
