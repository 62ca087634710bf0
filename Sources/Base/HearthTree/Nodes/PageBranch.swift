import CAtomics

/// The header of a branch, with its counts.
struct BranchHeader: StoredHeader {
  /// The cell of `StoredObject`; accessed atomically.
  var location: UInt = 0
  /// The number of children, each of which is a `Page` when `level` is 1 and a `PageBranch` of the level below
  /// otherwise.
  let count: UInt16
  /// The number of keys above the children of the tree, for branches that were read from a store; otherwise 0.
  var depth: UInt16 = 0
  let level: UInt8
  /// True when a page below may refer to trees or texts.
  let mayRefer: Bool
  /// 1 when a lookup passed the branch since the last eviction did; accessed atomically.
  var touched: UInt8 = 1
  /// See ``StoredHeader``.
  var evicted: UInt8 = 0

  /// The offset of ``touched``.
  static let touchedOffset = 14
  static let evictedOffset = 15

  init(count: Int, level: Int, mayRefer: Bool) {
    self.count = UInt16(truncatingIfNeeded: count)
    self.level = UInt8(truncatingIfNeeded: level)
    self.mayRefer = mayRefer
  }
}

/// An inner node of a `PageTree`: children in key order, and for each the lowest key that it may contain.
///
/// It is one allocation: ranks (8 bytes a child), references to the children (8), the offset of each key (4, and one
/// more for the end), and keys. A search never reads the key of the first child: a key below the second child's belongs
/// to it. A branch is never changed after its creation, except that locations of children become addresses.
final class PageBranch: ManagedBuffer<BranchHeader, UInt64> {
  /// The maximum number of children. A greater maximum would make trees lower, but changes more expensive: a copied
  /// branch counts a reference for every child.
  static let childCountMax = 24
  /// The number of children below which a branch merges with a neighbour.
  static let childCountMin = 6
  /// The maximum level of a branch; with the least number of children, a tree of it exceeds the addresses of a store.
  static let levelMax = 16

  /// A child of a branch that is about to be created. The creator of the part keeps the key and the child alive until
  /// then.
  struct Part {
    var key: UnsafeRawBufferPointer
    var rank: UInt64
    var child: NodeReference
  }

  static func make(level: Int, mayRefer: Bool, _ parts: UnsafeBufferPointer<Part>) -> PageBranch {
    let count = parts.count
    let keysSize = parts.reduce(0) { $0 + $1.key.count }
    let branch = make(level: level, mayRefer: mayRefer, count: count, keysSize: keysSize)
    let base = branch.base
    var position = 0
    for (i, part) in parts.enumerated() {
      part.child.retain()
      base.storeBytes(of: part.rank, toByteOffset: 8 * i, as: UInt64.self)
      base.storeBytes(of: part.child.bits, toByteOffset: 8 * (count + i), as: UInt.self)
      base.storeBytes(of: UInt32(truncatingIfNeeded: position), toByteOffset: 16 * count + 4 * i, as: UInt32.self)
      if let key = part.key.baseAddress {
        (base + branch.keysOffset + position).copyMemory(from: key, byteCount: part.key.count)
      }
      position += part.key.count
    }
    base.storeBytes(of: UInt32(truncatingIfNeeded: position), toByteOffset: 20 * count, as: UInt32.self)
    return branch
  }

  /// Creates a branch whose bytes the caller writes.
  static func make(level: Int, mayRefer: Bool, count: Int, keysSize: Int) -> PageBranch {
    let words = 2 * count + (4 * (count + 1) + keysSize + 7) / 8
    let object = PageBranch.create(minimumCapacity: words) { _ in
      BranchHeader(count: count, level: level, mayRefer: mayRefer)
    }
    // Safe, because `create` creates an object of the class on which it is called.
    return unsafeDowncast(object, to: PageBranch.self)
  }

  deinit {
    StoredObject.forget(info, sizeBytes: residentSize)
    for i in 0..<count { reference(i).release() }
  }

  // Uses pointers instead of `header`, because each access to `header` would be checked for exclusivity.

  /// The header. The pointer is valid while the branch is held, because the header is part of the object.
  var info: UnsafeMutablePointer<BranchHeader> { withUnsafeMutablePointerToHeader { $0 } }
  var count: Int { Int(info.pointee.count) }
  var level: Int { Int(info.pointee.level) }
  var mayRefer: Bool { info.pointee.mayRefer }

  /// The first byte. The pointer is valid while the branch is held, because the bytes are part of the object.
  var base: UnsafeMutableRawPointer {
    withUnsafeMutablePointerToElements { UnsafeMutableRawPointer($0) }
  }
  private var keysOffset: Int { 20 &* count &+ 4 }

  /// The number of bytes from ``base`` to the end of the keys.
  var byteCount: Int { keysOffset + Int(base.load(fromByteOffset: 20 * count, as: UInt32.self)) }

  /// The memory that the branch takes: its bytes, the header, and the allocator's word.
  var residentSize: Int { (byteCount + 7) & ~7 + 40 }

  /// The location in a store; `nil` while the branch is not stored.
  var location: PageLocation? { StoredObject.location(in: info) }

  /// True when a lookup passed the branch since the last eviction did.
  var isTouched: Bool {
    get { atomic_byte_load(UnsafeRawPointer(info) + BranchHeader.touchedOffset) != 0 }
    set { atomic_byte_store(UnsafeMutableRawPointer(info) + BranchHeader.touchedOffset, newValue ? 1 : 0) }
  }

  /// Marks the branch as passed.
  @inline(__always)
  func touch() { if !isTouched { isTouched = true } }

  private func cell(_ i: Int) -> UnsafeMutableRawPointer { base + (count &+ i) &<< 3 }

  /// Returns the reference to child `i`.
  @inline(__always)
  func reference(_ i: Int) -> NodeReference { NodeReference(in: cell(i)) }

  /// Returns child `i`, which is put into the branch if it is not in memory; `nil` when it is missing (see
  /// `NodeFault`). The branch keeps it alive.
  @inline(__always)
  func unmanagedChild(_ i: Int) -> Unmanaged<AnyObject>? {
    let reference = reference(i)
    return reference.object ?? install(i, reference)
  }

  @inline(never)
  private func install(_ i: Int, _ reference: NodeReference) -> Unmanaged<AnyObject>? {
    NodeFault.resolve(cell(i), reference, decodeChild)
  }

  private func decodeChild(_ record: PageRecord) throws(PageError) -> AnyObject {
    try record.object(level: level - 1, depth: Int(info.pointee.depth))
  }

  /// Returns child `i`, read if it is not in memory, and put into the branch unless the thread streams; `nil` when it is
  /// missing.
  func child(_ i: Int) -> AnyObject? { NodeFault.object(cell(i), reference(i), decodeChild) }

  /// Returns the lowest key that child `i` may contain; meaningless for the first child.
  func key(_ i: Int) -> UnsafeRawBufferPointer {
    let slot = base + (count &<< 4 &+ i &<< 2)
    let start = Int(slot.load(as: UInt32.self))
    let end = Int(slot.load(fromByteOffset: 4, as: UInt32.self))
    return UnsafeRawBufferPointer(start: base + (keysOffset &+ start), count: end &- start)
  }

  func part(_ i: Int) -> Part {
    Part(key: key(i), rank: base.load(fromByteOffset: 8 * i, as: UInt64.self), child: reference(i))
  }

  /// Returns the index of the child that contains the key or would contain it.
  func find(_ key: OrderedKey) -> Int {
    // Indexes are small: their sums need no checks, which would be a third of a lookup's instructions here.
    let ranks = base
    var (low, high) = (UInt(1), UInt(count))
    while low < high {
      let middle = (low &+ high) >> 1
      let rank = ranks.load(fromByteOffset: Int(bitPattern: middle &<< 3), as: UInt64.self)
      let isBefore =
        key.rank != rank ? key.rank < rank : key.compare(self.key(Int(bitPattern: middle)), rank: rank) < 0
      if isBefore { high = middle } else { low = middle &+ 1 }
    }
    return Int(bitPattern: low &- 1)
  }

  /// Returns true when the object, of that level, may contain references to trees or texts.
  static func mayRefer(_ object: AnyObject, level: Int) -> Bool {
    // The level determines the class of the object.
    level == 0
      ? unsafeDowncast(object, to: Page.self).hasReferences : unsafeDowncast(object, to: PageBranch.self).mayRefer
  }
}
