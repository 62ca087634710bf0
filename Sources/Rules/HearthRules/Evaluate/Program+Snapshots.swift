import HearthTree

extension Program {
  func value(
    _ function: SnapshotFunction, _ chain: Int32, _ index: Int32, _ context: inout EvaluationContext
  ) throws(EvaluationError) -> Operand { function.value(for: try node(chain, function.aspects, index, &context)) }

  func test(
    _ function: SnapshotFunction, _ chain: Int32, _ index: Int32, _ context: inout EvaluationContext
  ) throws(EvaluationError) -> Bool { function.isTrue(for: try node(chain, function.aspects, index, &context)) }

  /// Returns true when the snapshot has all of the children. All names are computed first; an error in one of them is
  /// an error of the call.
  func hasAllChildren(
    _ chain: Int32, _ first: Int32, _ count: Int32, _ index: Int32, _ context: inout EvaluationContext
  ) throws(EvaluationError) -> Bool {
    var hasAll = true
    if chains[Int(chain)].templates == nil || context.notes(chains[Int(chain)]) {
      let place = try locate(chain, index, &context)
      for entry in first..<first + count {
        let keys = place.keys + (try keys(of: lists[Int(entry)], index, &context))
        if node(place.side, keys, .existence, &context).isEmpty { hasAll = false }
      }
      return hasAll
    }
    let parent = try node(chain, .existence, index, &context)
    for entry in first..<first + count {
      if try descend(parent, lists[Int(entry)], index, &context).isEmpty { hasAll = false }
    }
    return hasAll
  }

  /// Returns the node of a chain. `aspects` are those that the caller will read.
  func node(
    _ chain: Int32, _ aspects: ReadDependencies.Aspects, _ index: Int32, _ context: inout EvaluationContext
  ) throws(EvaluationError) -> BorrowedNode {
    guard let templates = chains[Int(chain)].templates, !context.notes(chains[Int(chain)]) else {
      let place = try locate(chain, index, &context)
      return node(place.side, place.keys, aspects, &context)
    }
    let depth = context.depth - chains[Int(chain)].parentCount
    var node: BorrowedNode
    switch chains[Int(chain)].base {
    case .root: node = context.place.oldRoot
    case .data where depth >= 0: node = context.place.old(at: depth)
    case .newData where depth >= 0: node = context.place.new(at: depth)
    case .data, .newData: throw failure(.noParent, index)
    }
    for template in templates { node = try descend(node, template, index, &context) }
    return node
  }

  /// Returns the descendant at a template's path. The path is computed even below null, because its evaluation may be
  /// an error.
  private func descend(
    _ node: BorrowedNode, _ template: Int32, _ index: Int32, _ context: inout EvaluationContext
  ) throws(EvaluationError) -> BorrowedNode {
    if let keys = templates[Int(template)].keys {
      var node = node
      for key in keys { node = node.child(key) }
      return node
    }
    let start = context.scratch.end
    defer { context.scratch.cut(to: start) }
    if let rest = try appendShort(template, index, &context) {
      return rest.withUnsafeBytes { PathBytes.descend(node, $0) }
    }
    return PathBytes.descend(node, context.scratch.bytes(from: start))
  }

  // MARK: With paths, for `parent()` and for recording reads

  private enum Side { case old, new }

  private func locate(
    _ index: Int32, _ operation: Int32, _ context: inout EvaluationContext
  ) throws(EvaluationError) -> (side: Side, keys: [Key]) {
    let chain = chains[Int(index)]
    let side: Side = chain.base == .newData ? .new : .old
    var keys = chain.base == .root ? [] : context.place.keys(context.depth)
    note(index, after: 0, side, keys, context)
    for (number, step) in chain.steps.enumerated() {
      do throws(EvaluationError) {
        switch step {
        case .child(let template): keys += try self.keys(of: template, operation, &context)
        case .parent:
          guard !keys.isEmpty else { throw failure(.noParent, operation) }
          keys.removeLast()
        }
      } catch {
        context.observation?.noteChain(index, after: number, error)
        throw error
      }
      note(index, after: number + 1, side, keys, context)
    }
    return (side, keys)
  }

  private func note(
    _ chain: Int32, after stepCount: Int, _ side: Side, _ keys: [Key], _ context: borrowing EvaluationContext
  ) {
    guard let observation = context.observation else { return }
    let root = side == .old ? context.place.oldRoot : context.place.newRoot
    observation.noteChain(chain, after: stepCount, isAfter: side == .new, keys: keys, root: root.node)
  }

  private func keys(
    of template: Int32, _ index: Int32, _ context: inout EvaluationContext
  ) throws(EvaluationError) -> [Key] {
    if let keys = templates[Int(template)].keys {
      noteLiteral(template, context)
      return keys
    }
    var bytes: [UInt8] = []
    try append(template, to: &bytes, index, &context)
    let keys = Path(String(decoding: bytes, as: UTF8.self)).keys
    return keys.isEmpty ? [PathTemplate.noKey] : keys
  }

  private func noteLiteral(_ template: Int32, _ context: borrowing EvaluationContext) {
    guard let observation = context.observation, case .bytes(let bytes) = templates[Int(template)].pieces.first else {
      return
    }
    var next = 0
    observation.noteTemplate(template, &next, after: 0, [0], bytes, of: self)
  }

  private func node(
    _ side: Side, _ keys: [Key], _ aspects: ReadDependencies.Aspects, _ context: inout EvaluationContext
  ) -> BorrowedNode {
    guard canExist(keys) else {
      context.observation?.noteRead(isAfter: side == .new, keys, aspects, .empty)
      return .empty
    }
    var node = side == .old ? context.place.oldRoot : context.place.newRoot
    for key in keys { node = node.child(key) }
    context.observation?.noteRead(isAfter: side == .new, keys, aspects, node.node)
    guard let notes = context.notes, !context.isOwn(keys) else { return node }
    if side == .old {
      notes.before.read(Path(keys), aspects)
    } else {
      notes.after?.read(Path(keys), aspects)
    }
    return node
  }
}

/// Returns false for locations that can never have data, whose reads are not recorded. Otherwise a text of megabytes in
/// the data could become a dependency with millions of keys.
private func canExist(_ keys: [Key]) -> Bool {
  keys.count <= DataLimits.depthMax && keys.allSatisfy { $0.text.utf8.count <= DataLimits.keySizeBytesMax }
}

/// Paths as UTF-8 bytes.
enum PathBytes {
  /// Returns the descendant at a `/`-separated relative path; empty parts are ignored.
  static func descend(_ start: BorrowedNode, _ path: UnsafeRawBufferPointer) -> BorrowedNode {
    var (node, begin, hasKey) = (start, 0, false)
    for end in 0...path.count where end == path.count || path[end] == UInt8(ascii: "/") {
      if end > begin {
        node = node.child(utf8: UnsafeRawBufferPointer(rebasing: path[begin..<end]))
        hasKey = true
      }
      begin = end + 1
    }
    return hasKey ? node : .empty
  }
}
