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

extension NodeBuilder {
  /// The size of packed values in memory from which children move to the store.
  package static let spillSizeBytes = 4 << 20

  /// Creates a builder that expects the root's value, and moves what it can to a store: memory use is bounded if no
  /// single child of a node is large. Children out of key order cost reads of the store.
  package init<Sink>(to spill: StoredNodeSpill<Sink>, sizeBytes: Int = spillSizeBytes) {
    self.init(spill, sizeBytes: sizeBytes)
  }
}
