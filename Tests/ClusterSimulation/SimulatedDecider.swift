import HearthCluster

/// Rules and a tree, as small as can be: the number of the last write, and writes that say themselves whether they are
/// allowed.
package struct SimulatedDecider: RequestDecider, Sendable {
  /// The last write that is durable here.
  private var durable: UInt32 = 0
  private var head: UInt32 = 0

  package init() {}

  package mutating func decide(_ request: ForwardedRequest, at position: Int64) -> [UInt8]? {
    switch request.kind {
    case .write(let bytes):
      guard let content = WriteContent(bytes), content.effect != .refused else { return nil }
      head = content.number
      return bytes
    case .onDisconnect(_, let content): return content ?? []
    default: return nil
    }
  }

  package func read(_ query: [UInt8], of session: SessionID, at position: Int64) -> [UInt8] {
    WriteContent(number: head, effect: .plain).bytes
  }

  package func disconnect(
    _ session: SessionID, _ writes: [SessionTable.OnDisconnectWrite], at position: Int64
  ) -> [UInt8] {
    writes.flatMap(\.content)
  }

  package mutating func apply(_ records: [LogRecord], isOwner: Bool) {
    for case .write(_, let bytes) in records {
      if let content = WriteContent(bytes) { durable = content.number }
    }
    if !isOwner { head = durable }
  }

  package mutating func rollBack() { head = durable }
  package mutating func reset() { self = SimulatedDecider() }
}
