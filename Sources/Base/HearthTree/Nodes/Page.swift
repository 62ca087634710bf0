import CAtomics

#if canImport(Glibc)
  import Glibc
#elseif canImport(Musl)
  import Musl
#elseif canImport(Darwin)
  import Darwin
#endif

/// The header of a page, with its counts.
struct PageHeader: StoredHeader {
  /// The cell of `StoredObject`; accessed atomically.
  var location: UInt = 0
  /// The number of entries with a slot each; 0 for a page that holds one value and no entries.
  let count: UInt32
  let byteCount: UInt32
  /// The number of trees and long texts to which the values in this page refer.
  var referenceCount: UInt16 = 0
  /// 1 when the page was looked up since the last eviction passed it; accessed atomically.
  var touched: UInt8 = 1
  /// See ``StoredHeader``.
  var evicted: UInt8 = 0

  /// The offset of ``touched``.
  static let touchedOffset = 18
  static let evictedOffset = 19

  init(count: UInt32, byteCount: UInt32) {
    self.count = count
    self.byteCount = byteCount
  }
}

/// One block of memory with packed values, which is never changed once it is part of a tree.
///
/// It stores consecutive entries of one interior node: first a slot for each entry (its position in the page, in two
/// bytes, or in four in a page of more than 65,535 bytes), then one byte of each key's hash, then the entries in key
/// order. Or it holds a single value at position 0. The page is allocated in exactly the size it needs.
///
/// Because of the hashes, a lookup usually reads only one entry: a page that was not used recently is not in the
/// processor's caches, and a binary search would wait for memory at each of its steps.
final class Page: ManagedBuffer<PageHeader, UInt8> {
  /// The maximum size of a page, unless a single entry is larger than that. A change copies a page, so smaller pages
  /// make changes cheaper, but take more memory for their headers.
  static let sizeBytesMax = 2048
  /// The maximum number of trees and long texts in a page with more than one entry: a copied page counts a reference
  /// for each.
  static let referenceCountMax = 24
  /// The size below which a page merges with a neighbour.
  static let sizeBytesMin = 512

  static func make(count: Int, byteCount: Int) -> Page {
    let page = Page.create(minimumCapacity: byteCount) { _ in
      PageHeader(count: UInt32(count), byteCount: UInt32(byteCount))
    }
    return unsafeDowncast(page, to: Page.self)  // `create` creates an object of the class on which it is called.
  }

  deinit {
    StoredObject.forget(info, sizeBytes: residentSize)
    guard hasReferences else { return }
    if count == 0 {
      PackedValue(base).forEachReference { object, _ in object.release() }
    } else {
      entries(0..<count).forEachReference { object, _ in object.release() }
    }
  }

  // Uses pointers instead of `header`, because each access to `header` would be checked for exclusivity.

  /// The header. The pointer is valid while the page is held, because the header is part of the object.
  var info: UnsafeMutablePointer<PageHeader> { withUnsafeMutablePointerToHeader { $0 } }

  /// The first byte. The pointer is valid while the page is held, because the bytes are part of the object.
  var base: UnsafeMutableRawPointer { withUnsafeMutablePointerToElements { UnsafeMutableRawPointer($0) } }

  var count: Int { Int(info.pointee.count) }
  var byteCount: Int { Int(info.pointee.byteCount) }
  var referenceCount: Int { Int(info.pointee.referenceCount) }
  var hasReferences: Bool { info.pointee.referenceCount > 0 }

  /// The location in a store; `nil` while the page is not stored.
  var location: PageLocation? { StoredObject.location(in: info) }

  /// The memory that the page takes: its bytes, the header, the allocator's word, and the stubs to which it refers.
  var residentSize: Int { byteCount + 44 + 80 * referenceCount }

  /// True when the page was looked up since the last eviction passed it.
  var isTouched: Bool {
    get { atomic_byte_load(UnsafeRawPointer(info) + PageHeader.touchedOffset) != 0 }
    set { atomic_byte_store(UnsafeMutableRawPointer(info) + PageHeader.touchedOffset, newValue ? 1 : 0) }
  }

  /// Marks the page as looked up. It is written only when it is not marked, so that threads do not exchange its line.
  @inline(__always)
  func touch() { if !isTouched { isTouched = true } }

  /// Returns the offset at which entry `index` begins; the end of the last entry for `index == count`.
  func position(_ index: Int) -> Int {
    let byteCount = byteCount
    if index == count { return byteCount }
    if byteCount > 0xFFFF { return Int(base.load(fromByteOffset: 4 * index, as: UInt32.self)) }
    return Int(base.load(fromByteOffset: 2 * index, as: UInt16.self))
  }

  /// The hashes of the keys, one byte for each entry.
  var hashes: UnsafeMutableRawPointer { base + (byteCount > 0xFFFF ? 4 : 2) * count }

  func setSlot(_ index: Int, position: Int, hash: UInt8) {
    if byteCount > 0xFFFF {
      base.storeBytes(of: UInt32(truncatingIfNeeded: position), toByteOffset: 4 * index, as: UInt32.self)
    } else {
      base.storeBytes(of: UInt16(truncatingIfNeeded: position), toByteOffset: 2 * index, as: UInt16.self)
    }
    hashes.storeBytes(of: hash, toByteOffset: index, as: UInt8.self)
  }

  func entry(_ index: Int) -> PackedEntry { PackedEntry(base + position(index)) }

  func entries(_ range: Range<Int>) -> PackedEntries {
    PackedEntries(position: base + position(range.lowerBound), end: base + position(range.upperBound))
  }

  func value(at offset: UInt32) -> PackedValue { PackedValue(base + Int(offset)) }

  /// Returns the index of the key; nil when the page does not have it.
  func index(_ key: UnsafeRawBufferPointer) -> Int? {
    let (hash, hashes) = (Self.hash(key), UnsafeRawPointer(hashes))
    for index in 0..<count where hashes.load(fromByteOffset: index, as: UInt8.self) == hash {
      if entry(index).key.elementsEqualBytes(key) { return index }
    }
    return nil
  }

  /// Returns the index of the key, or of the first entry after it.
  func find(_ key: OrderedKey) -> (index: Int, isFound: Bool) {
    if let index = index(key.bytes) { return (index, true) }
    var (low, high) = (0, count)
    while low < high {
      let middle = (low + high) / 2
      if key.compare(entry(middle).key) < 0 { high = middle } else { low = middle + 1 }
    }
    return (low, false)
  }

  /// Returns a hash of the key's first and last eight bytes, in which the keys of one node usually differ.
  static func hash(_ key: UnsafeRawBufferPointer) -> UInt8 {
    var (first, last) = (UInt64(0), UInt64(0))
    if key.count >= 8 {
      first = key.loadUnaligned(as: UInt64.self)
      last = key.loadUnaligned(fromByteOffset: key.count - 8, as: UInt64.self)
    } else {
      for byte in key { first = first << 8 | UInt64(byte) }
    }
    let mixed = (first ^ last &* 0x9E37_79B9_7F4A_7C15 ^ UInt64(key.count)) &* 0xD6E8_FEB8_6659_FD93
    return UInt8(truncatingIfNeeded: mixed >> 56)
  }

  /// Returns the value as a node.
  func node(_ value: PackedValue) -> Node {
    if value.kind == PackedKind.tree { return Node(.tree(value.tree.takeUnretainedValue())) }
    return Node(.packed(self, UInt32(truncatingIfNeeded: value.start - UnsafeRawPointer(base))))
  }

  /// Returns the size in bytes of the slots and hashes of a page whose entries take `byteCount` bytes.
  static func slotsSize(entryCount: Int, byteCount: Int) -> Int {
    (byteCount + 3 * entryCount > 0xFFFF ? 5 : 3) * entryCount
  }

  /// Returns the size in bytes of an entry.
  static func entrySize(_ key: UnsafeRawBufferPointer, _ node: Node) -> Int {
    PackedValue.lengthSize(key.count) + key.count + node.packedSize
  }
}
