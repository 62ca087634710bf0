#if canImport(Glibc)
  import Glibc
#elseif canImport(Musl)
  import Musl
#elseif canImport(Darwin)
  import Darwin
#endif

/// A writer that fills a new page of known size from front to back, and counts its references.
///
/// It uses raw pointers, because a page is written once and then never again; the caller has computed the size before,
/// and `finish` checks the count.
struct PageWriter {
  private let page: Page
  private var position: UnsafeMutableRawPointer
  private var slot = 0
  /// The number of trees and long texts written.
  private var referenceCount = 0

  /// Creates a writer of a page with `entryCount` entries of `byteCount` bytes in total, or with one value (then
  /// `entryCount` is 0).
  init(entryCount: Int, byteCount: Int) {
    let total = byteCount + Page.slotsSize(entryCount: entryCount, byteCount: byteCount)
    page = Page.make(count: entryCount, byteCount: total)
    position = page.base + (total - byteCount)
  }

  consuming func finish() -> Page {
    precondition(position == page.base + page.byteCount, "the size of a page was miscounted")
    page.info.pointee.referenceCount = UInt16(truncatingIfNeeded: referenceCount)
    return page
  }

  private mutating func byte(_ byte: UInt8) {
    position.storeBytes(of: byte, as: UInt8.self)
    position += 1
  }

  private mutating func bytes(_ bytes: UnsafeRawBufferPointer) {
    guard let source = bytes.baseAddress, !bytes.isEmpty else { return }
    memcpy(position, source, bytes.count)
    position += bytes.count
  }

  private mutating func head(_ head: PackedHead, from first: Int = 0) {
    head.withBytes(from: first) { bytes($0) }
  }

  private mutating func length(_ length: Int) {
    var rest = length
    while rest >= 0x80 {
      byte(UInt8(rest & 0x7F | 0x80))
      rest >>= 7
    }
    byte(UInt8(rest))
  }

  /// Retains a tree or text to which the page refers.
  private mutating func retain(_ object: AnyObject) {
    _ = Unmanaged.passRetained(object)  // The page's deinit releases it.
    referenceCount += 1
  }

  /// Writes a leaf's value, with its priority.
  mutating func scalar(_ scalar: Scalar, priority: Scalar? = nil) {
    let (start, inline, object) = PackedHead.parts(of: scalar)
    var text = inline
    if let object { retain(object) }
    if let priority {
      byte(start.tag | PackedValue.priorityFlag)
      self.scalar(priority)
      head(start, from: 1)
    } else {
      head(start)
    }
    text?.withUTF8 { bytes(UnsafeRawBufferPointer($0)) }
  }

  /// Writes a packed interior value with the entries that `entries` writes. `size` is that of the entries.
  mutating func interior(
    count: Int, size: Int, hasPriority: Bool, priority: (inout PageWriter) -> Void, entries: (inout PageWriter) -> Void
  ) {
    let tag = position
    byte(PackedKind.interior | (hasPriority ? PackedValue.priorityFlag : 0))
    if hasPriority { priority(&self) }
    byte(UInt8(count))
    byte(UInt8(truncatingIfNeeded: size))
    byte(UInt8(truncatingIfNeeded: size >> 8))
    let before = referenceCount
    entries(&self)
    if referenceCount > before {
      tag.storeBytes(of: tag.load(as: UInt8.self) | PackedValue.referencesFlag, as: UInt8.self)
    }
  }

  /// Writes the slot of the entry that follows.
  mutating func beginEntry(_ key: UnsafeRawBufferPointer) {
    page.setSlot(slot, position: position - page.base, hash: Page.hash(key))
    slot += 1
  }

  mutating func key(_ key: UnsafeRawBufferPointer) {
    length(key.count)
    bytes(key)
  }

  /// Copies a value. `mayRefer` says whether there can be references in it.
  mutating func value(_ value: PackedValue, mayRefer: Bool) {
    bytes(UnsafeRawBufferPointer(start: value.start, count: value.size))
    if mayRefer { value.forEachReference { object, _ in retain(object.takeUnretainedValue()) } }
  }

  /// Writes a node as a value.
  mutating func node(_ node: Node) {
    switch node.content {
    case .empty: byte(PackedKind.nothing)
    case .packed(let page, let offset):
      withExtendedLifetime(page) { value(page.value(at: offset), mayRefer: page.hasReferences) }
    case .tree(let tree):
      head(PackedHead(kind: PackedKind.tree, tree))
      retain(tree)
    }
  }

  /// Copies entries without slots. `mayRefer` says whether there can be references in them.
  mutating func entries(_ entries: PackedEntries, mayRefer: Bool) {
    bytes(UnsafeRawBufferPointer(start: entries.position, count: entries.size))
    if mayRefer { entries.forEachReference { object, _ in retain(object.takeUnretainedValue()) } }
  }

  /// Copies a range of entries of another page with their slots.
  mutating func entries(_ range: Range<Int>, of source: Page) {
    guard !range.isEmpty else { return }
    let move = position - page.base - source.position(range.lowerBound)
    for index in range {
      let hash = source.hashes.load(fromByteOffset: index, as: UInt8.self)
      page.setSlot(slot, position: source.position(index) + move, hash: hash)
      slot += 1
    }
    withExtendedLifetime(source) { entries(source.entries(range), mayRefer: source.hasReferences) }
  }
}
