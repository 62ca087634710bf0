import HearthCluster

/// A write's content in the simulation: a number of its own, and what it does.
package struct WriteContent: Equatable {
  package enum Effect: UInt8 { case plain, refused, cut, onDisconnect }

  package var number: UInt32
  package var effect: Effect
  /// The client whose listen it cuts.
  package var target: UInt16 = 0

  package var bytes: [UInt8] {
    [effect.rawValue] + [0, 8, 16, 24].map { UInt8(truncatingIfNeeded: number >> $0) }
      + [0, 8].map { UInt8(truncatingIfNeeded: target >> $0) }
  }

  package init(number: UInt32, effect: Effect, target: UInt16 = 0) {
    (self.number, self.effect, self.target) = (number, effect, target)
  }

  package init?(_ bytes: [UInt8]) {
    guard bytes.count == 7, let effect = Effect(rawValue: bytes[0]) else { return nil }
    let number = (0..<4).reduce(UInt32(0)) { $0 | UInt32(bytes[1 + $1]) << (8 * UInt32($1)) }
    self.init(number: number, effect: effect, target: UInt16(bytes[5]) | UInt16(bytes[6]) << 8)
  }
}

/// What a client asked, and what it was told.
package struct Operation {
  package enum Kind: Equatable {
    case write(WriteContent)
    case onDisconnect(WriteContent)
    case get
  }

  package var kind: Kind
  package var began: Int64
  package var ended: Int64?
  package var outcome: Outcome?

  package init(kind: Kind, began: Int64) { (self.kind, self.began) = (kind, began) }
}

/// What a client saw while it was connected once.
package struct SimulatedClient {
  package enum State { case connected, closing, gone }

  package var index: UInt16
  package var session: SessionID
  package var node: Int
  package var state = State.connected
  /// By the session's request numbers, which begin with that of its opening.
  package var operations: [UInt64: Operation] = [:]
  /// Where its listen began.
  package var listenStart: Int64
  /// Whether its listen goes on.
  package var isListening = false
  /// Rows that its listen was told of, in order.
  package var heard: [(position: Int64, content: WriteContent)] = []
  package var pending = 0
  /// That of its opening is 1.
  package var lastRequest: UInt64 = 1

  package init(index: UInt16, session: SessionID, node: Int, listenStart: Int64) {
    (self.index, self.session, self.node, self.listenStart) = (index, session, node, listenStart)
  }
}
