/// A store to which a builder moves parts of a node before the node is complete.
protocol NodeSpill: AnyObject, Sendable {
  /// Stores a page or branch of that level, and returns its location; `nil` when it failed, now or before.
  func location(of object: AnyObject, level: Int) -> PageLocation?

  /// Stores a tree, and returns it with nothing in memory.
  func stored(_ tree: PageTree) -> PageTree

  /// Stores a text, and returns it with nothing in memory.
  func stored(_ text: PageText) -> PageText

  /// Returns a stored node with other children, stored as far as it is large.
  func replacing(_ children: [(path: Path, node: Node)], in node: Node) -> Node
}

/// A store to which a `NodeBuilder` moves full pages while it builds a node, so that memory use is bounded.
///
/// It belongs to one builder at a time, on one thread.
package final class StoredNodeSpill<Sink: PageSink>: NodeSpill, @unchecked Sendable {
  // @unchecked because of the use on one thread, as that of the builder.

  private var writer: StoredNodeWriter<Sink>
  private var failure: PageError?

  /// Creates a spill at the end of a store.
  package init(_ sink: Sink) {
    writer = StoredNodeWriter(sink)
    // Objects leave the memory when they are written.
    writer.marksObjects = false
  }

  /// Stores the rest of the built node, and makes all of it durable.
  ///
  /// - Returns: The node's location, and the sink behind it.
  /// - Throws: The first error since the spill was created. What was written is dropped then.
  package func finish(_ node: Node) throws(PageError) -> (node: StoredNode, sink: Sink) {
    let stored = attempt { () throws(PageError) in
      let stored = try writer.write(node)
      try writer.commit()
      return stored
    }
    guard let stored else {
      writer.discard()
      throw failure ?? PageError("the node was not stored")
    }
    return (stored, writer.sink)
  }

  /// Does some work unless there was an error, and keeps its error.
  private func attempt<Value>(_ work: () throws(PageError) -> Value) -> Value? {
    guard failure == nil else { return nil }
    do {
      return try work()
    } catch {
      failure = error
      return nil
    }
  }

  func location(of object: AnyObject, level: Int) -> PageLocation? {
    attempt { () throws(PageError) in try writer.write(NodeReference(object), level: level) }
  }

  func stored(_ tree: PageTree) -> PageTree {
    let location = attempt { () throws(PageError) in try writer.write(tree.root, level: tree.height) }
    return location.map { tree.with(root: NodeReference($0)) } ?? tree
  }

  func stored(_ text: PageText) -> PageText {
    let location = attempt { () throws(PageError) in try writer.write(text) }
    return location.map { PageText.make(NodeReference($0), byteCount: text.byteCount) } ?? text
  }

  func replacing(_ children: [(path: Path, node: Node)], in node: Node) -> Node {
    attempt { () throws(PageError) in
      // Only what is in the files is read.
      try writer.commit()
      let (changed, faults) = FaultScope.run(.install) { node.replacing(children) }
      if faults.isIncomplete {
        throw writer.sink.store.failure ?? PageError("a part of the node cannot be read")
      }
      guard case .tree(let tree) = changed.content else { return changed }
      return Node(.tree(tree.with(root: NodeReference(try writer.write(tree.root, level: tree.height)))))
    } ?? .empty
  }
}
