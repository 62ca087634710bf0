import HearthBytes

/// What comes back for a question that one node asked another.
package enum LinkReply: Sendable, Equatable {
  /// The answer.
  case content([UInt8])
  /// There is none.
  case refused(LinkRefusal)
}

/// The reason why a node does not answer a question that it got. The number is that of the protocol.
package enum LinkRefusal: UInt8, Error, Sendable, CaseIterable, CustomStringConvertible {
  /// Nobody takes questions there. Nothing was done.
  case unattended = 1
  /// Too many are under way there, or too large ones. Nothing was done.
  case crowded = 2
  /// Whoever took it failed. What was done by then is not known.
  case failed = 3
  /// The answer is larger than a message, or than there is room for. What was asked for was done.
  case noRoom = 4

  package var description: String {
    switch self {
    case .unattended: "the node takes no questions"
    case .crowded: "too many questions are under way at the node"
    case .failed: "the node failed to answer"
    case .noRoom: "the node's answer is too large"
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
      throw MalformedBytes("a reply of the unknown kind \(outcome)")
    }
    return .refused(refusal)
  }
}
