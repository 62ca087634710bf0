import CAtomics

/// A reference to a page, a branch or a text: the address of the object in memory, or its location in a store.
///
/// A reference in a branch, tree or text changes once, from a location to an address, and never back: an object that is
/// reachable from a version stays in memory while the version is held. Eviction creates another version.
struct NodeReference {
  let bits: UInt

  init(bits: UInt) { self.bits = bits }
  init(_ location: PageLocation) { bits = location.bits }
  init(_ object: Unmanaged<AnyObject>) { bits = UInt(bitPattern: object.toOpaque()) }
  init(_ object: AnyObject) { self.init(.passUnretained(object)) }

  /// Reads the reference in a cell of a branch, tree or text.
  init(in cell: UnsafeMutableRawPointer) { bits = atomic_word_load(cell) }

  /// True for an object in memory, false for a location.
  var isResident: Bool { bits & 1 == 0 }

  /// The object of a resident reference.
  var object: Unmanaged<AnyObject>? {
    // An address is never 0.
    isResident ? Unmanaged.fromOpaque(UnsafeRawPointer(bitPattern: bits).unsafelyUnwrapped) : nil
  }

  /// Returns the object, which is read if it is not in memory, and not put into the place of the reference.
  func loaded<Object: AnyObject>(
    _ decode: (PageRecord) throws(PageError) -> Object
  ) throws(PageError) -> AnyObject {
    if let object { return object.takeUnretainedValue() }
    return try PageStore.load(PageLocation(bits: bits), decode)
  }

  /// The location of the object, if it is stored.
  var location: PageLocation? {
    guard let object else { return PageLocation(bits: bits) }
    return StoredObject.location(of: object)
  }

  /// Returns true when both certainly refer to equal data: the same object, or the same location.
  func isIdentical(to other: NodeReference) -> Bool {
    bits == other.bits || location.map { $0 == other.location } ?? false
  }

  /// Counts a reference to a resident object.
  func retain() { _ = object?.retain() }

  /// Gives up a reference to a resident object.
  func release() { object?.release() }
}

/// The head that pages, branches and texts have in common: their location in a store.
///
/// The cell is the first field of the object's header. It is 0 while the object is not stored; it has bit 0 clear while
/// the object is written, but may be lost in a crash of the system; afterwards it has the location.
enum StoredObject {
  /// The offset of the cell in an object: behind the two words that every object begins with.
  static let cellOffset = 16

  static func cell(of object: Unmanaged<AnyObject>) -> UnsafeMutableRawPointer { object.toOpaque() + cellOffset }

  /// Returns the location of a stored object; `nil` while it is not, or not durably, stored.
  static func location(of object: Unmanaged<AnyObject>) -> PageLocation? { location(in: cell(of: object)) }

  static func location(in cell: UnsafeMutableRawPointer) -> PageLocation? {
    let bits = atomic_word_load(cell)
    return bits & 1 == 0 ? nil : PageLocation(bits: bits)
  }

  /// Marks an object as stored, and adds it to its store's resident bytes.
  static func remember(_ cell: UnsafeMutableRawPointer, at location: PageLocation, sizeBytes: Int) {
    PageStore.addResident(sizeBytes, at: location)
    atomic_word_store(cell, location.bits)
  }

  /// Subtracts the object from its store's resident bytes. Called at the end of its life.
  static func forget<Header: StoredHeader>(
    _ header: UnsafeMutablePointer<Header>, sizeBytes: @autoclosure () -> Int
  ) {
    let bits = atomic_word_load_relaxed(header)
    guard bits & 1 == 1 else { return }
    let sizeBytes = sizeBytes()
    setEvicted(false, header, sizeBytes: sizeBytes)
    PageStore.addResident(-sizeBytes, at: PageLocation(bits: bits))
  }

  /// Records that an object is no longer, or again, in the version of its owner: see ``PageStore/evictedBytes``. Called
  /// by the owner of the data.
  static func setEvicted<Header: StoredHeader>(
    _ isEvicted: Bool, _ header: UnsafeMutablePointer<Header>, sizeBytes: @autoclosure () -> Int
  ) {
    let flag = UnsafeMutableRawPointer(header) + Header.evictedOffset
    guard (atomic_byte_load(flag) != 0) != isEvicted, let location = location(in: header) else { return }
    atomic_byte_store(flag, isEvicted ? 1 : 0)
    PageStore.addEvicted(isEvicted ? sizeBytes() : -sizeBytes(), at: location)
  }
}

/// The header of an object that can be stored. Its first field is the cell of `StoredObject`.
protocol StoredHeader {
  /// 1 when an eviction has removed the object from the newest version, and older ones may have it; accessed atomically.
  var evicted: UInt8 { get }

  /// The offset of ``evicted``.
  static var evictedOffset: Int { get }
}
