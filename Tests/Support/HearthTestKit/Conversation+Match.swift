import HearthTree

extension JSON {
  /// Returns true when this equals the expected value, with members in any order and `"*"` as a wildcard.
  package func matches(_ expected: JSON) -> Bool {
    switch (self, expected) {
    case (_, .string("*")): return true
    case (.array(let a), .array(let b)): return a.count == b.count && zip(a, b).allSatisfy { $0.matches($1) }
    case (.object(let a), .object(let b)):
      return a.count == b.count
        && b.allSatisfy { member in a.contains { $0.name == member.name && $0.value.matches(member.value) } }
    default: return self == expected
    }
  }
}

extension Conversation {
  /// A server message in the terms of a conversation.
  package enum ReceivedEvent: Sendable, CustomStringConvertible {
    case reply(number: Int64, status: String, data: JSON)
    case push(action: String, body: JSON)
    case text(action: String, text: String)
    case control(type: String, data: JSON)
    case closed
    case unreadable(String)

    /// Parses a whole message of a socket.
    package init(message: String) {
      self = Self.read(message) ?? .unreadable(message)
    }

    private static func read(_ message: String) -> ReceivedEvent? {
      guard let json = JSON(parsing: message.utf8), let layer = json["t"]?.string, let data = json["d"] else {
        return nil
      }
      if layer == "c" {
        guard let type = data["t"]?.string, let payload = data["d"] else { return nil }
        return .control(type: type, data: payload)
      }
      guard let body = data["b"] else { return nil }
      if let action = data["a"]?.string { return .push(action: action, body: body) }
      guard let number = data["r"]?.int, let status = body["s"]?.string else { return nil }
      return .reply(number: number, status: status, data: body["d"] ?? .null)
    }

    package var description: String {
      switch self {
      case .reply(let number, let status, let data): "answer to \(number): \(status) \(data.line)"
      case .push(let action, let body): "\(action) \(body.line)"
      case .text(let action, let text): "\(action) \(text)"
      case .control(let type, let data): "control \(type) \(data.line)"
      case .closed: "closed"
      case .unreadable(let message): "unreadable: \(message)"
      }
    }
  }
}

extension JSON {
  fileprivate var line: String { String(decoding: text(), as: UTF8.self) }
}
