import HearthBytes

/// The reply to a request that one node sent to another, outside of any database.
package enum LinkReply: Sendable, Equatable {
  /// The answer.
  case content([UInt8])
  /// A refusal with its reason.
  case refused(LinkRefusal)
}

/// The reason of a refusal. The raw value is that of the protocol.
package enum LinkRefusal: UInt8, Error, Sendable, CaseIterable, CustomStringConvertible {
  /// The node has no handler for questions. Nothing was done.
  case noHandler = 1
  /// Too many or too large questions are pending there. Nothing was done.
  case crowded = 2
  /// The handler failed, with an unknown effect.
  case failed = 3
  /// The answer is too large for a message or for the room left. The question had its effect.
  case noRoom = 4

  package var description: String {
    switch self {
    case .noHandler: "the node accepts no requests"
    case .crowded: "the node has too many requests in progress"
    case .failed: "the node failed to process the request"
    case .noRoom: "the node's reply is too large"
    }
  }
}

extension ByteWriter {
  mutating func question(_ number: UInt64, _ content: [UInt8]) {
    self.number(number)
    sized(content)
  }

  mutating func reply(_ number: UInt64, _ reply: LinkReply) {
    self.number(number)
    switch reply {
    case .content(let content):
      self.number(0 as UInt8)
      sized(content)
    case .refused(let refusal): self.number(refusal.rawValue)
    }
  }
}

extension ByteReader {
  mutating func reply() throws(MalformedBytes) -> LinkReply {
    let outcome = try number(UInt8.self)
    if outcome == 0 { return .content(try sized()) }
    guard let refusal = LinkRefusal(rawValue: outcome) else {
      throw MalformedBytes("unknown kind \(outcome) of reply")
    }
    return .refused(refusal)
  }
}
