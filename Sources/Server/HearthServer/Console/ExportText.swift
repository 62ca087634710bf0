import HearthTree

/// The JSON text of a tree in pieces, as in exports: only a piece and the path down to it are in memory.
struct ExportText {
  private struct Level {
    var children: NodeChildren.Iterator
    let priority: Scalar?
    var isFirst = true
  }

  private var levels: [Level] = []
  private var writer = JSONWriter()
  /// The root; nil once its text has begun.
  private var root: Node?

  init(_ root: Node) { self.root = root }

  /// Returns the next piece, which ends between two tokens; nil at the end.
  ///
  /// - Parameter bytesMin: the minimum size of a piece, exceeded by one value at most; the last may be smaller.
  mutating func next(bytesMin: Int) -> [UInt8]? {
    if let root {
      self.root = nil
      begin(root)
    }
    while writer.bytes.count < bytesMin, let (key, child) = advance() {
      if let key { write(key) }
      if let child { begin(child) }
    }
    guard !writer.bytes.isEmpty else { return nil }
    defer { writer = JSONWriter() }
    return writer.bytes
  }

  /// Moves to the next child of the deepest level, or ends that level; returns nil when all have ended.
  private mutating func advance() -> (Key?, Node?)? {
    guard let last = levels.indices.last else { return nil }
    if let (key, child) = levels[last].children.next() {
      if !levels[last].isFirst { writer.write(raw: ",") }
      levels[last].isFirst = false
      return (key, child)
    }
    if let priority = levels[last].priority {
      writer.write(raw: ",\".priority\":")
      writer.write(priority)
    }
    writer.write(raw: "}")
    levels.removeLast()
    return (nil, nil)
  }

  private mutating func write(_ key: Key) {
    key.withUTF8 { writer.write(utf8: $0) }
    writer.write(raw: ":")
  }

  private mutating func begin(_ node: Node) {
    guard node.isInterior else { return writer.write(node, .export) }
    writer.write(raw: "{")
    levels.append(Level(children: node.children.makeIterator(), priority: node.priority))
  }
}
