import Synchronization

/// The user agents of clients. Many are equal: each text is stored once.
final class ClientAgents: Sendable {
  /// The maximum number of shared texts.
  private static let countMax = 4_096
  /// The maximum bytes of a text; longer ones are cut.
  private static let bytesMax = 256

  private let texts = Mutex<Set<String>>([])

  /// Returns the shared text; nil for none.
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
