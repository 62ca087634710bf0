import HearthRules
import HearthTree

/// Writes that take long to decide: set aside, decided elsewhere, and settled here.
extension Engine {
  /// Makes a write so that was set aside and decided meanwhile. When something that it was decided from is different
  /// now, or somebody else asks, it is set aside again.
  public mutating func settle(_ write: DecidedWrite, at instant: Instant) -> Batch {
    settling = write
    defer { settling = nil }
    return decide([write.write.command], at: instant)
  }

  /// Decides a write, or sets it aside when that is wanted and would take long.
  mutating func perform(_ command: Command, _ operation: WriteOperation) {
    if let settling { return settle(command, operation, settling) }
    if notes != nil { note(command, operation) }
    guard setsAside else { return write(command, operation) }
    if operation.change.isLarge(sizeBytesMax: limits.largeWriteBytes) { return putAside(command, operation) }
    let effectCount = effects.count
    stepsInLineMax = limits.largeWriteSteps
    write(command, operation)
    stepsInLineMax = nil
    guard isOverlong else { return }
    isOverlong = false
    // Nothing has come of it but a refusal that does not count.
    effects.removeSubrange(effectCount...)
    putAside(command, operation)
  }

  /// Whatever comes of a write, it has looked at the places that it names. One that compares looks at all of its place,
  /// and at what lets its writer read there.
  private mutating func note(_ command: Command, _ operation: WriteOperation) {
    switch operation.change {
    case .put(let location, _): notes?.places.insert(location.path)
    case .merge(let path, let writes):
      let locations = writes.map { $0.location.under(path) }
      notes?.places.formUnion(LargeWrite.places(locations, below: path, limits).places)
    }
    guard operation.expectedHash != nil, let identity = identity(of: command) else { return }
    notes?.places.insert(operation.path)
    guard !identity.isAdministrator else { return }
    let request = ReadRequest(
      path: operation.path, root: state.root, auth: identity.auth, nowMilliseconds: now.wallMilliseconds)
    guard let read = state.rules.decideRead(request, detail: .dependencies).dependencies else { return }
    notes?.reads.before.formUnion(read)
  }

  private mutating func putAside(_ command: Command, _ operation: WriteOperation) {
    guard let identity = identity(of: command) else { return fail(command, .unknownConnection) }
    setAside = LargeWrite(
      command: command, operation: operation, identity: identity, state: state, now: now, limits: limits,
      orders: listens.neededOrders(below: operation.path))
  }

  private mutating func settle(_ command: Command, _ operation: WriteOperation, _ decided: DecidedWrite) {
    state.hasOpenPieces = false
    let isSameCase =
      identity(of: command) === decided.write.identity && state.rules.isIdentical(to: decided.write.state.rules)
    guard isSameCase, let root = decided.root(on: state.root) else { return putAside(command, operation) }
    if var commit = decided.notes.commit {
      (commit.oldRoot, commit.newRoot) = (state.root, root)
      append(decided)
      state.root = root
      state.position += 1
      commit.position = state.position
      announce(commit)
    }
    for effect in decided.effects {
      switch effect {
      case .reply(let connection, let request, .written), .reply(let connection, let request, .ok):
        // What its writer may read is asked now, as everything that comes of the write.
        let reply = writtenReply(operation, to: decided.write.identity)
        effects.append(.reply(connection, request: request, reply))
      default: effects.append(effect)
      }
    }
  }

  /// The pieces of a write that is decided otherwise mean nothing: recovery passes over them.
  package mutating func forgetPieces() { state.hasOpenPieces = false }

  private mutating func append(_ decided: DecidedWrite) {
    if let (number, count) = decided.pieces {
      let content = CommitRecord.Content.joined(number: number, count: count)
      CommitRecord(wallMilliseconds: decided.write.now.wallMilliseconds, content: content).append(to: &payload)
    } else {
      payload += decided.record
    }
  }

  /// Takes a piece of a large write's record into the log, before the write is settled.
  ///
  /// - Parameter number: What the first one got; nil for the first.
  package mutating func stage(_ piece: ArraySlice<UInt8>, number: Int64?, at instant: Instant) -> (
    batch: Batch, number: Int64
  ) {
    state.position += 1
    state.hasOpenPieces = true
    let number = number ?? state.position
    var bytes: [UInt8] = []
    bytes.reserveCapacity(piece.count + CommitRecord.headerBytes + 8)
    CommitRecord(wallMilliseconds: instant.wallMilliseconds, content: .piece(number: number, bytes: piece))
      .append(to: &bytes)
    let batch = Batch(payload: bytes, firstPosition: state.position, commandCount: 0, effects: [], state: state)
    return (batch, number)
  }

  /// An order that was worked out with the write that is being settled, or else one that is worked out now.
  mutating func newIndex(of node: Node, by order: Query.Order, at path: Path) -> ChildIndex {
    let made = settling?.indexes.first { $0.index.order == order && $0.path == path && $0.node.isIdentical(to: node) }
    return made?.index ?? ChildIndex(node, by: order, cost: &queryCost)
  }

  /// What the rules say to a write, within what may be spent on it here; nil when that is not enough.
  mutating func decideWrite(_ request: WriteRequest, below base: Path) -> Decision? {
    if notes != nil {
      let (places, depth) = LargeWrite.places(request.locations, below: base, limits)
      let (decision, reads) = state.rules.decideWriteNotingReads(request, ownDepthMax: depth)
      notes?.places.formUnion(places)
      notes?.reads.before.formUnion(reads.before)
      notes?.reads.after.formUnion(reads.after)
      return decision
    }
    return state.rules.decideWrite(request, stepsMax: stepsInLineMax ?? .max)
  }

  /// The places that the command may replace.
  package func replaces(_ command: Command, _ places: PlaceSet) -> Bool {
    switch command.action {
    case .write(let operation): operation.change.overlaps(places)
    case .disconnect:
      state.sessions.contains(command.connection)
        && state.sessions.writes(of: command.connection).entries.contains { places.overlaps($0.location.path) }
    case .connect, .authenticate, .unauthenticate, .listen, .unlisten, .get, .onDisconnect, .cancelOnDisconnect,
      .transact, .endCredential, .deployRules, .turnsTold, .tick:
      false
    }
  }
}

extension WriteOperation.Change {
  func overlaps(_ places: PlaceSet) -> Bool {
    switch self {
    case .put(let location, _): places.overlaps(location.path)
    case .merge(let path, let writes):
      places.overlaps(path) && writes.contains { places.overlaps(path.appending($0.location.path)) }
    }
  }

  /// Whether it carries more than so many bytes. Looks at no more than that.
  fileprivate func isLarge(sizeBytesMax: Int) -> Bool { heldBytes(upTo: sizeBytesMax) > sizeBytesMax }

  /// What its values hold in memory. Once that is more than so many bytes nothing more is looked at.
  func heldBytes(upTo limit: Int) -> Int {
    var bytes = 0
    func add(_ value: WriteValue) -> Bool {
      bytes += value.node.heldBytes(upTo: limit - bytes) + (1 + value.deferred.count) * EngineLimits.placeBytes
      return bytes <= limit
    }
    switch self {
    case .put(_, let value): _ = add(value)
    case .merge(_, let writes): _ = writes.allSatisfy { add($0.value) }
    }
    return bytes
  }
}
