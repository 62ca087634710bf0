/// A complete pass over the records of stored nodes, which reads no more than is needed to find every reference: all
/// branches, and the pages that may have references.
///
/// Nothing is put into a version, and the memory is bounded by the depth of the data.
package struct StoredNodeScanner {
  /// Receives the location of each record, and returns true when the record is to be stored elsewhere.
  private let visit: (PageLocation) throws -> Bool
  /// Returns true for a page or branch that was scanned before, with all below it.
  private let isKnown: (PageLocation) -> Bool
  /// Receives a path to data in each record that is to be stored elsewhere: see ``Node/rewritten(at:)``.
  private let move: (Path) throws -> Void
  private var keys: [Key] = []
  private var moveCount = 0

  /// The size up to which a page's record may be a list of parts. A longer list would be of a page of many megabytes,
  /// which has one entry with a key of that size.
  private static let partListSizeBytesMax = 512

  /// Creates a scanner.
  ///
  /// - Parameters:
  ///   - visit: Receives the location of each record, and returns true when the record is to be stored elsewhere.
  ///   - isKnown: Returns true for a page or branch that is left out with all below it.
  ///   - move: Receives a path for ``Node/rewritten(at:)``; the paths together reach all of these records.
  package init(
    visit: @escaping (PageLocation) throws -> Bool, isKnown: @escaping (PageLocation) -> Bool = { _ in false },
    move: @escaping (Path) throws -> Void
  ) {
    (self.visit, self.isKnown, self.move) = (visit, isKnown, move)
  }

  /// Scans a node that was just opened from its location.
  ///
  /// - Throws: `PageError` when a record cannot be read, and the errors of the closures.
  package mutating func scan(_ node: Node) throws {
    keys = []
    switch node.content {
    case .empty: return
    case .tree(let tree): try scan(tree)
    case .packed(let page, _):
      guard let location = page.location else { throw PageError("the root is not stored") }
      let (isMoved, before) = (try visit(location), moveCount)
      try scan(page)
      if isMoved, moveCount == before { try emit() }
    }
  }

  private mutating func emit() throws {
    moveCount += 1
    try move(Path(keys))
  }

  private mutating func scan(_ tree: PageTree) throws {
    try scan(tree.root, level: tree.height, depth: tree.depth, mayRefer: true)
  }

  /// Scans a page or branch and what is below it. The recursion is as deep as the data and its trees.
  private mutating func scan(_ reference: NodeReference, level: Int, depth: Int, mayRefer: Bool) throws {
    guard let location = reference.location else { throw PageError("the page is not stored") }
    if isKnown(location) { return }
    var isMoved = try visit(location)
    let mayHaveParts = location.sizeBytes <= Self.partListSizeBytesMax
    guard level > 0 || mayRefer || isMoved || mayHaveParts else { return }
    let (object, parts) = try PageStore.load(location) { record throws(PageError) in
      (try record.object(level: level, depth: depth), try record.partLocations)
    }
    for part in parts where try visit(part) { isMoved = true }
    let before = moveCount
    if level == 0 {
      let page = unsafeDowncast(object, to: Page.self)  // because this is level 0
      try scan(page)
      if isMoved, moveCount == before { try emitFirst(of: page) }
    } else {
      let branch = unsafeDowncast(object, to: PageBranch.self)  // because only level 0 is a page
      for i in 0..<branch.count {
        try scan(branch.reference(i), level: level - 1, depth: depth, mayRefer: branch.mayRefer)
      }
      if isMoved, moveCount == before { try emitFirst(below: branch, depth: depth) }
    }
  }

  /// Passes on the path of a page's first entry.
  private mutating func emitFirst(of page: Page) throws {
    keys.append(Key(utf8: page.entry(0).key))
    try emit()
    keys.removeLast()
  }

  /// Passes on the path of the first entry below a branch.
  private mutating func emitFirst(below branch: PageBranch, depth: Int) throws {
    var object: AnyObject = branch
    for level in (0..<branch.level).reversed() {
      let above = unsafeDowncast(object, to: PageBranch.self)  // because only level 0 is a page
      guard let location = above.reference(0).location else { throw PageError("the page is not stored") }
      object = try PageStore.load(location) { record throws(PageError) in try record.object(level: level, depth: depth)
      }
    }
    try emitFirst(of: unsafeDowncast(object, to: Page.self))  // because this is level 0
  }

  /// Scans what the values of a page refer to.
  private mutating func scan(_ page: Page) throws {
    guard page.hasReferences else { return }
    try withExtendedLifetime(page) {
      if page.count == 0 { return try scan(page.value(at: 0)) }
      try scan(page.entries(0..<page.count))
    }
  }

  private mutating func scan(_ entries: PackedEntries) throws {
    for entry in entries where entry.value.mayRefer {
      keys.append(Key(utf8: entry.key))
      try scan(entry.value)
      keys.removeLast()
    }
  }

  private mutating func scan(_ value: PackedValue) throws {
    if value.hasPriority, value.priority.kind == PackedKind.text { try scan(value.priority.text) }
    switch value.kind {
    case PackedKind.tree: try scan(value.tree.takeUnretainedValue())
    case PackedKind.text: try scan(value.text)
    case PackedKind.interior: try scan(value.entries)
    default: return
    }
  }

  private mutating func scan(_ text: PageText) throws {
    guard let location = text.content.location else { throw PageError("the text is not stored") }
    var isMoved = try visit(location)
    if text.byteCount > PageRecord.partSizeBytes {
      let parts = try PageStore.load(location) { record throws(PageError) in try record.partLocations }
      for part in parts where try visit(part) { isMoved = true }
    }
    if isMoved { try emit() }
  }
}

extension Node {
  /// Returns an equal node in which the pages and branches on the way to some paths, and the texts there, are not stored:
  /// the next checkpoint stores them again. Paths without data are left out.
  ///
  /// The result is not to be used when a read has failed meanwhile: see `FaultCounts`.
  package func rewritten(at paths: [Path]) -> Node {
    replacing(
      paths.compactMap { path -> (path: Path, node: Node)? in
        let node = self[path]
        return node.isEmpty ? nil : (path, node.unstored)
      })
  }

  /// The node with copies of its own page and texts.
  private var unstored: Node {
    switch content {
    case .empty, .tree: self
    case .packed(let page, let offset) where page.value(at: offset).isInterior: with(priority: priority)
    case .packed: scalar.map { Node($0, priority: priority) } ?? self
    }
  }
}
