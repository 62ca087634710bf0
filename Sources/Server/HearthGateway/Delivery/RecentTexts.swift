import HearthTransport
import HearthTree
import NIOCore
import Synchronization

/// The large texts that some connection still waits for: clients that are sent the same value in the same form share
/// the bytes. Otherwise, after a restart, each client that comes back would hold a copy of its own of the page that all
/// look at.
final class RecentTexts: Sendable {
  /// The form in which a value is written, and its path.
  enum Words: Sendable, Hashable {
    case stream(StreamForm, Path)
    case push(Path, tag: Int32?)
  }

  /// A value's text. Kept by what counts it, and so for as long as somebody waits for it.
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

  /// Texts that are found again; those of the values that most people look at are among them.
  private static let countMax = 32

  private let memory: ClientMemory
  private let entries = Mutex<[Entry]>([])

  init(memory: ClientMemory) { self.memory = memory }

  /// The text of a value, made when nobody has it.
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
