/// The counts of a branch.
struct BranchHeader {
  /// The number of children, each of which is a `Page` when `level` is 1 and a `PageBranch` of the level below
  /// otherwise.
  var count: Int
  var level: Int
}

/// An inner node of a `PageTree`: children in key order, and for each the lowest key that it may contain.
///
/// It is one allocation: ranks (8 bytes a child), children (8), the offset of each key (4, and one more for the end),
/// and keys. A search never reads the key of the first child: a key below the second child's belongs to it. A branch is
/// never changed after its creation.
final class PageBranch: ManagedBuffer<BranchHeader, UInt64> {
  /// The maximum number of children. A greater maximum would make trees lower, but changes more expensive: a copied
  /// branch counts a reference for every child.
  static let childCountMax = 24
  /// The number of children below which a branch merges with a neighbour.
  static let childCountMin = 6

  /// A child of a branch that is about to be created. The creator of the part keeps the key and the child alive until
  /// then.
  struct Part {
    var key: UnsafeRawBufferPointer
    var rank: UInt64
    var child: Unmanaged<AnyObject>
  }

  static func make(level: Int, _ parts: UnsafeBufferPointer<Part>) -> PageBranch {
    let count = parts.count
    let keysSize = parts.reduce(0) { $0 + $1.key.count }
    let words = 2 * count + (4 * (count + 1) + keysSize + 7) / 8
    let object = PageBranch.create(minimumCapacity: words) { _ in BranchHeader(count: count, level: level) }
    // Safe, because `create` creates an object of the class on which it is called.
    let branch = unsafeDowncast(object, to: PageBranch.self)
    let base = branch.base
    var position = 0
    for (i, part) in parts.enumerated() {
      base.storeBytes(of: part.rank, toByteOffset: 8 * i, as: UInt64.self)
      (base + 8 * (count + i)).initializeMemory(as: Unmanaged<AnyObject>.self, to: part.child.retain())
      base.storeBytes(of: UInt32(truncatingIfNeeded: position), toByteOffset: 16 * count + 4 * i, as: UInt32.self)
      if let key = part.key.baseAddress {
        (base + branch.keysOffset + position).copyMemory(from: key, byteCount: part.key.count)
      }
      position += part.key.count
    }
    base.storeBytes(of: UInt32(truncatingIfNeeded: position), toByteOffset: 20 * count, as: UInt32.self)
    return branch
  }

  deinit {
    for i in 0..<count { unmanagedChild(i).release() }
  }

  // Uses pointers instead of `header`, because each access to `header` would be checked for exclusivity.
  var count: Int { withUnsafeMutablePointerToHeader { $0.pointee.count } }
  var level: Int { withUnsafeMutablePointerToHeader { $0.pointee.level } }

  /// The first byte. The pointer is valid while the branch is held, because the bytes are part of the object.
  private var base: UnsafeMutableRawPointer {
    withUnsafeMutablePointerToElements { UnsafeMutableRawPointer($0) }
  }
  private var keysOffset: Int { 20 * count + 4 }

  func unmanagedChild(_ i: Int) -> Unmanaged<AnyObject> {
    base.load(fromByteOffset: 8 * (count + i), as: Unmanaged<AnyObject>.self)
  }

  func child(_ i: Int) -> AnyObject { unmanagedChild(i).takeUnretainedValue() }
  // The level determines the class of the children.
  func branch(_ i: Int) -> PageBranch { unsafeDowncast(child(i), to: PageBranch.self) }
  func page(_ i: Int) -> Page { unsafeDowncast(child(i), to: Page.self) }

  /// Returns the lowest key that child `i` may contain; meaningless for the first child.
  func key(_ i: Int) -> UnsafeRawBufferPointer {
    let start = Int(base.load(fromByteOffset: 16 * count + 4 * i, as: UInt32.self))
    let end = Int(base.load(fromByteOffset: 16 * count + 4 * (i + 1), as: UInt32.self))
    return UnsafeRawBufferPointer(start: base + keysOffset + start, count: end - start)
  }

  func part(_ i: Int) -> Part {
    Part(key: key(i), rank: base.load(fromByteOffset: 8 * i, as: UInt64.self), child: unmanagedChild(i))
  }

  /// Returns the index of the child that contains the key or would contain it.
  func find(_ key: OrderedKey) -> Int {
    let base = base
    var (low, high) = (1, count)
    while low < high {
      let middle = (low + high) / 2
      let rank = base.load(fromByteOffset: 8 * middle, as: UInt64.self)
      let isBefore = key.rank != rank ? key.rank < rank : key.compare(self.key(middle), rank: rank) < 0
      if isBefore { high = middle } else { low = middle + 1 }
    }
    return low - 1
  }
}
