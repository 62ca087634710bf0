/// A part of stored data that cannot be read.
package struct UnreadableData: Sendable {
  /// The extent of the part.
  package enum Extent: Sendable, Equatable {
    /// The children of the node from one key on and before another one; `nil` at the first and after the last child.
    case children(from: Key?, before: Key?)
    /// The text that is the node's value.
    case text
    /// The text that is the node's priority.
    case priority
  }

  /// The path of the node.
  package var path: Path
  /// The extent.
  package var extent: Extent
  /// The reason, with the location of the page and its file.
  package var error: PageError
}

/// A walk that reads all stored data of a node, and finds the parts that cannot be read. Memory holds the pages above the
/// current one.
package struct StoredNodeVerifier {
  private let body: (UnreadableData) -> Bool
  private var keys: [Key] = []
  private var isStopped = false

  /// Creates a walk.
  ///
  /// - Parameter body: Called with each part that cannot be read, in key order; returns false to end the walk.
  package init(_ body: @escaping (UnreadableData) -> Bool) { self.body = body }

  /// Reads all data of a node. The recursion is as deep as the data, whose depth is limited, and its trees.
  package mutating func run(_ node: Node) {
    switch node.content {
    case .empty: break
    case .tree(let tree): read(tree)
    case .packed(let page, let offset):
      guard page.hasReferences else { return }
      withExtendedLifetime(page) { read(page.value(at: offset)) }
    }
  }

  private mutating func report(_ extent: UnreadableData.Extent, _ error: PageError) {
    if !body(UnreadableData(path: Path(keys), extent: extent, error: error)) { isStopped = true }
  }

  private mutating func read(_ tree: PageTree) {
    read(tree.root, level: tree.height, depth: tree.depth, from: nil, before: nil)
  }

  /// Reads a page or branch with the children between two keys, and what is below it.
  private mutating func read(
    _ reference: NodeReference, level: Int, depth: Int, from first: UnsafeRawBufferPointer?,
    before end: UnsafeRawBufferPointer?
  ) {
    if isStopped { return }
    do throws(PageError) {
      let object = try reference.loaded { record throws(PageError) in try record.object(level: level, depth: depth) }
      withExtendedLifetime(object) {
        // Only level 0 is a page.
        if level == 0 { return read(unsafeDowncast(object, to: Page.self)) }
        let branch = unsafeDowncast(object, to: PageBranch.self)
        for i in 0..<branch.count {
          read(
            branch.reference(i), level: level - 1, depth: depth, from: i == 0 ? first : branch.key(i),
            before: i + 1 < branch.count ? branch.key(i + 1) : end)
        }
      }
    } catch {
      report(.children(from: first.map { Key(utf8: $0) }, before: end.map { Key(utf8: $0) }), error)
    }
  }

  private mutating func read(_ page: Page) {
    guard page.hasReferences else { return }
    for entry in page.entries(0..<page.count) { read(entry) }
  }

  private mutating func read(_ entry: PackedEntry) {
    guard !isStopped, entry.value.mayRefer else { return }
    keys.append(Key(utf8: entry.key))
    read(entry.value)
    keys.removeLast()
  }

  /// Reads the trees and texts to which a value refers.
  private mutating func read(_ value: PackedValue) {
    if value.hasPriority, value.priority.kind == PackedKind.text { read(value.priority.text, .priority) }
    switch value.kind {
    case PackedKind.tree: value.tree._withUnsafeGuaranteedRef { read($0) }
    case PackedKind.text: read(value.text, .text)
    case PackedKind.interior: for entry in value.entries { read(entry) }
    default: break
    }
  }

  private mutating func read(_ text: PageText, _ extent: UnreadableData.Extent) {
    do throws(PageError) {
      let byteCount = text.byteCount
      _ = try text.content.loaded { record throws(PageError) in try record.text(byteCount: byteCount) }
    } catch {
      report(extent, error)
    }
  }
}
