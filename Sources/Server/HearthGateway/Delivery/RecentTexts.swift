import HearthTransport
import HearthTree
import NIOCore
import Synchronization

/// A cache of the large texts that still wait for a connection: clients that are sent the same value in the same form
/// share the bytes. Otherwise, after a restart, each reconnecting client would hold a copy of the same popular data.
final class RecentTexts: Sendable {
  /// The form in which a value is written, and its path.
  enum Words: Sendable, Hashable {
    case stream(StreamForm, Path)
    case push(Path, tag: Int32?)
  }

  /// The text of a value, owned by its memory counter, and so for as long as a connection waits for it.
  final class Made: Sendable {
    fileprivate let words: Words
    fileprivate let node: Node
    fileprivate let bytes: ByteBuffer

    fileprivate init(_ words: Words, _ node: Node, _ bytes: ByteBuffer) {
      self.words = words
      self.node = node
      self.bytes = bytes
    }
  }

  private struct Entry: Sendable {
    weak let counted: SharedText?
  }

  /// The number of texts in the cache; those of the most popular values are among them.
  private static let countMax = 32

  private let memory: ClientMemory
  private let entries = Mutex<[Entry]>([])

  init(memory: ClientMemory) { self.memory = memory }

  /// Returns the cached text of a value, or makes it.
  func text(
    of node: Node, in words: Words, _ make: () -> ByteBuffer?
  ) -> (bytes: ByteBuffer, counted: SharedText)? {
    let found = entries.withLock { entries in entries.lazy.compactMap(\.counted).first { $0.tells(node, words) } }
    if let found, let made = found.made as? Made { return (made.bytes, found) }
    guard let bytes = make() else { return nil }
    let counted = memory.text(bytes: bytes.readableBytes, made: Made(words, node, bytes))
    entries.withLock { entries in
      entries.removeAll { $0.counted == nil }
      if entries.count >= Self.countMax { entries.removeFirst() }
      entries.append(Entry(counted: counted))
    }
    return (bytes, counted)
  }
}

extension SharedText {
  fileprivate func tells(_ node: Node, _ words: RecentTexts.Words) -> Bool {
    guard let made = made as? RecentTexts.Made else { return false }
    return made.words == words && made.node.isIdentical(to: node)
  }
}
