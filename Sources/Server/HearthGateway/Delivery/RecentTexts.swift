import HearthTransport
import HearthTree
import NIOCore
import Synchronization

/// A cache of the large texts that still wait for a connection: clients that are sent the same value in the same form
/// share the bytes. Otherwise, after a restart, each reconnecting client would hold a copy of the same popular data.
final class RecentTexts: Sendable {
  /// The form in which a value is written, and its path.
  enum Format: Sendable, Hashable {
    case stream(StreamForm, Path)
    case push(Path, tag: Int32?)
  }

  /// The text of a value, owned by its memory counter, and so for as long as a connection waits for it.
  final class CachedText: Sendable {
    fileprivate let format: Format
    fileprivate let node: Node
    fileprivate let bytes: ByteBuffer

    fileprivate init(_ format: Format, _ node: Node, _ bytes: ByteBuffer) {
      self.format = format
      self.node = node
      self.bytes = bytes
    }
  }

  private struct Entry: Sendable {
    weak let counted: SharedText?
  }

  /// The maximum number of texts in the cache; those of the most popular values are among them.
  private static let countMax = 32

  private let memory: ClientMemory
  private let entries = Mutex<[Entry]>([])

  init(memory: ClientMemory) { self.memory = memory }

  /// Returns the cached text of a value, or makes it. A text is not kept when data of it could not be read.
  func text(
    of node: Node, in format: Format, _ make: () -> ByteBuffer?
  ) -> (bytes: ByteBuffer, counted: SharedText)? {
    let found = entries.withLock { entries in entries.lazy.compactMap(\.counted).first { $0.matches(node, format) } }
    if let found, let made = found.made as? CachedText { return (made.bytes, found) }
    let (made, faults) = FaultScope.run(FaultScope.policy, make)
    guard let bytes = made, !faults.isIncomplete else { return nil }
    let counted = memory.text(bytes: bytes.readableBytes, made: CachedText(format, node, bytes))
    entries.withLock { entries in
      entries.removeAll { $0.counted == nil }
      if entries.count >= Self.countMax { entries.removeFirst() }
      entries.append(Entry(counted: counted))
    }
    return (bytes, counted)
  }
}

extension SharedText {
  fileprivate func matches(_ node: Node, _ format: RecentTexts.Format) -> Bool {
    guard let made = made as? RecentTexts.CachedText else { return false }
    return made.format == format && made.node.isIdentical(to: node)
  }
}
