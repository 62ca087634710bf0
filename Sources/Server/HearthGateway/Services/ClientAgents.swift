import Synchronization

/// What clients say that they are. Many say the same: each text is kept once.
final class ClientAgents: Sendable {
  /// Other texts than these are not shared.
  private static let countMax = 4_096
  /// Of one text; what is longer is cut.
  private static let bytesMax = 256

  private let texts = Mutex<Set<String>>([])

  /// The text as it is kept; nil for none.
  func shared(_ agent: String?) -> String? {
    guard let agent, !agent.isEmpty else { return nil }
    let text = String(decoding: agent.utf8.prefix(Self.bytesMax), as: UTF8.self)
    return texts.withLock { texts in
      if let index = texts.firstIndex(of: text) { return texts[index] }
      if texts.count < Self.countMax { texts.insert(text) }
      return text
    }
  }
}
