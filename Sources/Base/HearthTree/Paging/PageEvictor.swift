/// A clock that evicts stored pages from versions of data: those that were not looked up since it last passed them.
///
/// An eviction makes another version of the same content, in which locations are in the place of pages. The memory is
/// free when the versions before it are. Evictions belong to the owner of the data, one at a time; other threads may read
/// all versions meanwhile.
package struct PageEvictor: Sendable {
  /// The maximum number of objects that one run passes, which bounds its duration.
  package static let visitsMax = 4_096

  /// The store of the pages to evict.
  private let store: UInt16
  /// The indexes of the children that lead to the next object to pass: of branches, and of the references of pages.
  private var hand: [Int] = []
  /// The bytes of the objects that the last run evicted.
  package private(set) var evictedBytes = 0

  /// Creates a clock whose hand is at the first page. It leaves pages of other stores alone: they may be closed before.
  package init(of store: PageStore) { self.store = store.number }

  /// True when the last run ended at the last page, so that the next one begins a new round.
  package var isAtStart: Bool { hand.isEmpty }

  /// Returns the node without some of its stored pages in memory, or the node itself when there are none to evict. The
  /// run ends at the last page at the latest.
  ///
  /// - Parameters:
  ///   - sizeBytes: The number of bytes after which the run ends.
  ///   - visitsMax: The number of objects after which the run ends.
  package mutating func run(_ node: Node, sizeBytes: Int, visitsMax: Int = visitsMax) -> Node {
    var run = EvictionRun(store: store, start: hand, bytesMax: sizeBytes, visitsMax: visitsMax)
    let result = run.evict(node)
    (hand, evictedBytes) = (run.hand, run.bytes)
    return result
  }
}

/// One run of the clock.
private struct EvictionRun {
  let store: UInt16
  /// The path of the first object to pass.
  let start: [Int]
  let bytesMax: Int
  let visitsMax: Int
  private(set) var bytes = 0
  private var visits = 0
  private var isStopped = false
  /// The path of the next object to pass, in reverse order; empty at the end of the round.
  private var reversedHand: [Int] = []

  var hand: [Int] { reversedHand.reversed() }

  init(store: UInt16, start: [Int], bytesMax: Int, visitsMax: Int) {
    (self.store, self.start, self.bytesMax, self.visitsMax) = (store, start, bytesMax, visitsMax)
  }

  /// Returns the location of an object that may be evicted.
  private func own(_ location: PageLocation?) -> PageLocation? { location.flatMap { $0.store == store ? $0 : nil } }

  private enum Outcome {
    case unchanged
    /// A copy with less below it in memory.
    case copied(AnyObject)
    /// The object is not in memory any more.
    case evicted(PageLocation)
  }

  mutating func evict(_ node: Node) -> Node {
    switch node.content {
    case .empty: return node
    case .tree(let tree): return evict(tree, depth: 0, isOnHand: true).map { Node(.tree($0)) } ?? node
    case .packed(let page, let offset):
      guard page.hasReferences else { return node }
      var stubs = StubChanges()
      let value = page.value(at: offset)
      _ = value.scanReferences { position, kind in
        stubs.positions.append((position - value.start, kind))
      }
      evictStubs(of: value.start, &stubs, depth: 0, isOnHand: true, isTouched: true)
      guard !stubs.replacements.isEmpty else { return node }
      let copy = Page.make(count: 0, byteCount: value.size)
      stubs.copy(UnsafeRawBufferPointer(start: value.start, count: value.size), to: copy)
      if page.count == 0, offset == 0 { copy.take(page.location) }
      return withExtendedLifetime(page) { Node(.packed(copy, 0)) }
    }
  }

  /// Returns the index of the first child to pass.
  private func first(_ depth: Int, isOnHand: Bool, count: Int) -> Int {
    isOnHand && depth < start.count ? min(start[depth], count) : 0
  }

  /// Stops before a child when enough has been done. Returns true when the run has stopped.
  private mutating func stops(before index: Int) -> Bool {
    guard bytes >= bytesMax || visits >= visitsMax else { return false }
    isStopped = true
    reversedHand.append(index)
    return true
  }

  /// Returns a tree with less in memory; `nil` when nothing changed.
  private mutating func evict(_ tree: PageTree, depth: Int, isOnHand: Bool) -> PageTree? {
    guard let root = tree.root.object?.takeUnretainedValue() else { return nil }
    switch pass(root, level: tree.height, depth: depth, isOnHand: isOnHand) {
    case .unchanged: return nil
    case .copied(let copy): return withExtendedLifetime(copy) { tree.with(root: NodeReference(copy)) }
    case .evicted(let location): return tree.with(root: NodeReference(location))
    }
  }

  /// Passes a page or branch. The recursion is as deep as the data and its trees.
  private mutating func pass(_ object: AnyObject, level: Int, depth: Int, isOnHand: Bool) -> Outcome {
    visits += 1
    // Only level 0 is a page.
    if level == 0 { return pass(unsafeDowncast(object, to: Page.self), depth: depth, isOnHand: isOnHand) }
    return pass(unsafeDowncast(object, to: PageBranch.self), depth: depth, isOnHand: isOnHand)
  }

  private mutating func pass(_ branch: PageBranch, depth: Int, isOnHand: Bool) -> Outcome {
    let count = branch.count
    let first = first(depth, isOnHand: isOnHand, count: count)
    var parts = (0..<count).map { branch.part($0) }
    var copies: [AnyObject] = []
    var isChanged = false
    for i in first..<count {
      guard let child = parts[i].child.object?.takeUnretainedValue() else { continue }
      if stops(before: i) { break }
      switch pass(child, level: branch.level - 1, depth: depth + 1, isOnHand: isOnHand && i == first) {
      case .unchanged: break
      case .copied(let copy):
        copies.append(copy)
        parts[i].child = NodeReference(copy)
        isChanged = true
      case .evicted(let location):
        parts[i].child = NodeReference(location)
        isChanged = true
      }
      if isStopped {
        reversedHand.append(i)
        break
      }
    }
    let location = branch.location
    StoredObject.setEvicted(false, branch.info, sizeBytes: branch.residentSize)
    if let location = own(location), !isStopped, parts.allSatisfy({ !$0.child.isResident }) {
      if !branch.isTouched {
        bytes += branch.residentSize
        StoredObject.setEvicted(true, branch.info, sizeBytes: branch.residentSize)
        return .evicted(location)
      }
      branch.isTouched = false
    }
    guard isChanged else { return .unchanged }
    let copy = withExtendedLifetime((branch, copies)) {
      parts.withUnsafeBufferPointer { PageBranch.make(level: branch.level, mayRefer: branch.mayRefer, $0) }
    }
    copy.info.pointee.depth = branch.info.pointee.depth
    copy.isTouched = branch.isTouched
    if let location {
      StoredObject.remember(copy.info, at: location, sizeBytes: copy.residentSize)
      StoredObject.setEvicted(true, branch.info, sizeBytes: branch.residentSize)
    }
    return .copied(copy)
  }

  private mutating func pass(_ page: Page, depth: Int, isOnHand: Bool) -> Outcome {
    let (location, isTouched) = (page.location, page.isTouched)
    StoredObject.setEvicted(false, page.info, sizeBytes: page.residentSize)
    var stubs = StubChanges()
    if page.hasReferences {
      stubs.positions = page.referencePositions
      evictStubs(of: page.base, &stubs, depth: depth, isOnHand: isOnHand, isTouched: isTouched)
    }
    if !isStopped {
      if let location = own(location), !isTouched, !stubs.hasResident {
        bytes += page.residentSize
        StoredObject.setEvicted(true, page.info, sizeBytes: page.residentSize)
        return .evicted(location)
      }
      page.isTouched = false
    }
    guard !stubs.replacements.isEmpty else { return .unchanged }
    let copy = Page.make(count: page.count, byteCount: page.byteCount)
    stubs.copy(UnsafeRawBufferPointer(start: page.base, count: page.byteCount), to: copy)
    copy.isTouched = page.isTouched
    copy.take(location)
    StoredObject.setEvicted(true, page.info, sizeBytes: page.residentSize)
    return .copied(copy)
  }

  /// Passes the trees and texts of a page or a value. Texts are as old as the page that refers to them.
  private mutating func evictStubs(
    of base: UnsafeRawPointer, _ stubs: inout StubChanges, depth: Int, isOnHand: Bool, isTouched: Bool
  ) {
    let first = first(depth, isOnHand: isOnHand, count: stubs.positions.count)
    for (i, position) in stubs.positions.enumerated() {
      let address = base + position.offset
      if position.kind == PackedKind.text {
        let text = address.loadUnaligned(as: Unmanaged<PageText>.self).takeUnretainedValue()
        guard let object = text.content.object?.takeUnretainedValue() else { continue }
        guard i >= first, !isStopped, !isTouched, let location = own(text.content.location) else {
          stubs.hasResident = true
          continue
        }
        bytes += text.byteCount
        let content = unsafeDowncast(object, to: PageTextContent.self)  // Only contents are in these cells.
        StoredObject.setEvicted(true, content.info, sizeBytes: content.residentSize)
        stubs.replacements[i] = PageText.make(NodeReference(location), byteCount: text.byteCount)
      } else {
        let tree = address.loadUnaligned(as: Unmanaged<PageTree>.self).takeUnretainedValue()
        guard tree.root.isResident else { continue }
        guard i >= first, !isStopped, !stops(before: i) else {
          stubs.hasResident = true
          continue
        }
        let new = evict(tree, depth: depth + 1, isOnHand: isOnHand && i == first)
        if let new { stubs.replacements[i] = new }
        if (new ?? tree).root.isResident { stubs.hasResident = true }
        if isStopped { reversedHand.append(i) }
      }
    }
  }
}

/// The references of a page, and those that get other stubs in its copy.
private struct StubChanges {
  /// The positions of the addresses, and the kinds of the objects.
  var positions: [(offset: Int, kind: UInt8)] = []
  /// The new stubs, by index in ``positions``.
  var replacements: [Int: AnyObject] = [:]
  /// True when a tree or text, or a part of one, stays in memory.
  var hasResident = false

  /// Fills a page with the bytes of another one, and the new references.
  func copy(_ bytes: UnsafeRawBufferPointer, to page: Page) {
    UnsafeMutableRawBufferPointer(start: page.base, count: bytes.count).copyMemory(from: bytes)
    for (i, position) in positions.enumerated() {
      let address = page.base + position.offset
      if let stub = replacements[i] {
        address.storeBytes(
          of: UInt(bitPattern: Unmanaged.passRetained(stub).toOpaque()), as: UInt.self)
      } else {
        _ = address.loadUnaligned(as: Unmanaged<AnyObject>.self).retain()
      }
    }
    page.info.pointee.referenceCount = UInt16(truncatingIfNeeded: positions.count)
  }
}

extension Page {
  /// Gives a new copy of a page the location of that page, if it has one.
  fileprivate func take(_ location: PageLocation?) {
    if let location { StoredObject.remember(info, at: location, sizeBytes: residentSize) }
  }
}
