import HearthCluster
import HearthJournal

/// A minimal decider: its tree is the number of the last write, each write says whether it is allowed, and sessions
/// have on-disconnect writes.
package struct SimulatedDecider: RequestDecider, Sendable {
  /// The state that the log up to some position results in.
  package struct State: Sendable {
    package var position: Int64 = 0
    package var number: UInt32 = 0
    package var onDisconnect: [SessionID: [WriteContent]] = [:]

    mutating func apply(_ record: LogRecord, at position: Int64) {
      self.position = position
      for write in record.deliveredWrites { number = write.number }
      switch record {
      case .write(let origin, let content):
        for write in WriteContent.all(in: content) ?? [] where write.effect == .onDisconnect {
          onDisconnect[origin.session, default: []].removeAll { $0.place == write.place }
          onDisconnect[origin.session, default: []].append(write)
        }
      case .disconnect(let session, _): onDisconnect[session] = nil
      default: break
      }
    }
  }

  /// The durable state on this node.
  package private(set) var applied: State
  /// The applied state and all decisions since, while this node is the owner.
  private var tip = State()
  private var isOwner = false
  /// Calls that a driver must not make, in the order in which they were made.
  package private(set) var contractViolations: [String] = []
  private let faults: Set<PlantedFault>

  package init(_ state: State = State(), faults: Set<PlantedFault> = []) {
    applied = state
    self.faults = faults
  }

  package var noRoom: ForwardedBody { .encoded(Array("no room".utf8)) }

  package mutating func began(at position: Int64) {
    if position != applied.position {
      contractViolations.append("begins at \(position), with \(applied.position) applied")
    }
    if !faults.contains(.deciderNotBegun) { tip = applied }
    isOwner = true
  }

  package mutating func decide(_ request: ForwardedRequest, at position: Int64) -> RequestDecision {
    expect(position, isNew: true)
    guard case .write(let asked) = request.kind, let write = WriteContent(asked.bytes), write.effect != .refused else {
      return .refuse(reply: Self.refusal)
    }
    tip.apply(.write(request.origin, content: write.frame), at: position)
    return .commit(content: write.frame, reply: asked)
  }

  /// The answer to a client whose request is not allowed.
  package static let refusal: ForwardedBody = [0]

  package mutating func read(_ query: [UInt8], of session: SessionID, at position: Int64) -> [UInt8] {
    expect(position, isNew: false)
    return WriteContent(number: tip.number, effect: .plain).bytes
  }

  package mutating func disconnect(_ session: SessionID, at position: Int64) -> (
    content: [UInt8], entries: [OutboxEntry]
  ) {
    expect(position, isNew: true)
    let content = tip.onDisconnect[session]?.flatMap(\.frame) ?? []
    tip.apply(.disconnect(session, content: content), at: position)
    return (content, [])
  }

  /// Checks that positions rise; gaps are allowed.
  private mutating func expect(_ position: Int64, isNew: Bool) {
    if !isOwner || (isNew ? position <= tip.position : position < tip.position) {
      contractViolations.append("asked about \(position) behind \(tip.position), as \(isOwner ? "the" : "no") owner")
    }
    // A refused write takes no position.
    if !isNew { tip.position = position }
  }

  package mutating func apply(_ row: LogRow, _ records: [LogRecord]) {
    for (place, record) in records.enumerated() {
      applied.apply(record, at: row.batch.firstPosition + Int64(place))
    }
  }

  /// Drops decisions after the position, which were never applied.
  package mutating func rollBack(to position: Int64) {
    if position != applied.position {
      contractViolations.append("back to \(position), with \(applied.position) applied")
    }
    isOwner = false
  }

  /// Replaces the state with a snapshot's, or with the empty state.
  package mutating func reset(to state: State = State()) { applied = state }
}
