import HearthBytes

// The layout of a stored page, branch or text. All numbers are little-endian.
//
//      0  checksum           8   XXH64 of what follows, up to the size; the store gives its seed
//      8  size               4   of the record, a multiple of 64
//     12  kind               1   1 page, 2 branch, 3 single value, 4 text, 5 part
//     13  level              1   of a branch
//     14  reference count    2   of a page or a single value
//     16  count              4   of entries, children, or parts
//     20  payload size       4
//     24  flags              8   bit 0: a branch below which no page has references; bit 1: the body is in parts
//     32  body: the payload, then references
//         zeros up to the size
//
// The payload of a page, a single value or a branch is that in memory. In pages, each reference is its ordinal instead of
// an address; in branches, each child is a location without the store's number. The payload of a text is its UTF-8
// bytes. A body that is too large for a record is in parts: in its place are its size, 8 bytes, and the locations of the
// parts, 8 bytes each. A part has nothing but a payload.
//
//     reference = kind (1: 6 tree, 7 text), height (1), location (8), count (8), bytes (8), leaves (8), priority
//     priority  = 0 none, 1 integer (8), 2 double (8), or 3 text: size (4), UTF-8
//
// For a text, height, count and leaves are 0, and it has no priority.
//
// A record refers only to lower addresses, so that no page is below itself.

/// A stored record whose checksum and header have been checked.
struct PageRecord {
  /// The kinds of records.
  enum Kind {
    static let page: UInt8 = 1
    static let branch: UInt8 = 2
    static let value: UInt8 = 3
    static let text: UInt8 = 4
    static let part: UInt8 = 5
  }

  static let headerSize = 32
  static let noReferencesFlag: UInt64 = 1
  static let partsFlag: UInt64 = 2
  /// The maximum size of a body in parts.
  static let bodySizeBytesMax = 512 << 20

  let bytes: UnsafeRawBufferPointer
  let location: PageLocation

  /// Checks a record's checksum and header.
  init(_ bytes: UnsafeRawBufferPointer, at location: PageLocation, seed: UInt64) throws(PageError) {
    (self.bytes, self.location) = (bytes, location)
    guard bytes.count == location.sizeBytes, bytes.count >= Self.headerSize else {
      throw PageError("the record is incomplete", at: location)
    }
    let hash = XXH64.hash(UnsafeRawBufferPointer(rebasing: bytes[8...]), seed: seed)
    guard number(0, UInt64.self) == hash else { throw PageError("the checksum is wrong", at: location) }
    guard Int(number(8, UInt32.self)) == bytes.count else {
      throw PageError("the sizes are wrong", at: location)
    }
  }

  func number<Number: FixedWidthInteger>(_ offset: Int, _ type: Number.Type) -> Number {
    Number(littleEndian: bytes.loadUnaligned(fromByteOffset: offset, as: Number.self))
  }

  var kind: UInt8 { bytes[12] }
  var level: Int { Int(bytes[13]) }
  var referenceCount: Int { Int(number(14, UInt16.self)) }
  var count: Int { Int(number(16, UInt32.self)) }
  var payloadSize: Int { Int(number(20, UInt32.self)) }
  var flags: UInt64 { number(24, UInt64.self) }
  var hasParts: Bool { flags & Self.partsFlag != 0 }

  /// Returns the size of the payload of the record at a location, if it is as large as it can be.
  static func payloadSizeMax(_ location: PageLocation) -> Int { location.sizeBytes - headerSize }

  func error(_ finding: String) -> PageError { PageError(finding, at: location) }

  /// Calls `body` with the payload, and the bytes behind it. A payload in parts is read.
  func withPayload<Result>(
    _ body: (_ payload: UnsafeRawBufferPointer, _ rest: UnsafeRawBufferPointer) throws(PageError) -> Result
  ) throws(PageError) -> Result {
    let content = UnsafeRawBufferPointer(rebasing: bytes[Self.headerSize...])
    let payloadSize = payloadSize
    func split(_ bytes: UnsafeRawBufferPointer) throws(PageError) -> Result {
      guard payloadSize <= bytes.count else { throw error("the payload is incomplete") }
      return try body(
        UnsafeRawBufferPointer(rebasing: bytes[..<payloadSize]), UnsafeRawBufferPointer(rebasing: bytes[payloadSize...])
      )
    }
    guard hasParts else { return try split(content) }
    guard let store = PageStore.named(location.store) else { throw error("the parts are wrong") }
    let (size, locations) = try parts
    let whole = UnsafeMutableRawBufferPointer.allocate(byteCount: size, alignment: 8)
    defer { whole.deallocate() }
    for (part, location) in locations.enumerated() {
      let start = part * Self.partSizeBytes
      let target = UnsafeMutableRawBufferPointer(
        rebasing: whole[start..<min(start + Self.partSizeBytes, whole.count)])
      try store.copyPart(at: location, to: target)
    }
    return try split(UnsafeRawBufferPointer(whole))
  }

  /// The locations of the parts of the body; none for one that is in the record.
  var partLocations: [PageLocation] {
    get throws(PageError) { hasParts ? try parts.locations : [] }
  }

  /// The size of a body in parts, and their locations.
  private var parts: (size: Int, locations: [PageLocation]) {
    get throws(PageError) {
      let content = UnsafeRawBufferPointer(rebasing: bytes[Self.headerSize...])
      guard content.count >= 8 else { throw error("the parts are wrong") }
      let size = number(Self.headerSize, UInt64.self)
      guard size <= UInt64(Self.bodySizeBytesMax) else { throw error("the parts are wrong") }
      let partCount = (Int(size) + Self.partSizeBytes - 1) / Self.partSizeBytes
      guard 8 * (partCount + 1) <= content.count else { throw error("the parts are wrong") }
      var locations: [PageLocation] = []
      for part in 0..<partCount {
        let offset = 8 * (part + 1)
        locations.append(try location(fileBits: content.loadUnaligned(fromByteOffset: offset, as: UInt64.self)))
      }
      return (Int(size), locations)
    }
  }

  /// The size of every part but the last.
  static let partSizeBytes = PageLocation.sizeBytesMax - headerSize

  /// Returns the location that the record refers to.
  func location(fileBits: UInt64) throws(PageError) -> PageLocation {
    guard let location = PageLocation(fileBits: UInt64(littleEndian: fileBits), store: location.store),
      location.address < self.location.address
    else { throw error("a reference is wrong") }
    return location
  }
}

extension PageStore {
  /// Copies the payload of a part.
  fileprivate func copyPart(
    at location: PageLocation, to target: UnsafeMutableRawBufferPointer
  ) throws(PageError) {
    let isCopied = try load(location) { record throws(PageError) in
      guard record.kind == PageRecord.Kind.part, !record.hasParts, record.payloadSize == target.count else {
        return false
      }
      return try record.withPayload { payload, _ throws(PageError) in
        target.copyMemory(from: payload)
        return true
      }
    }
    guard isCopied else { throw PageError("the part is not one", at: location) }
  }
}

extension PageRecord {
  /// Returns the page or branch of this record.
  ///
  /// - Parameters:
  ///   - level: The level that it must have: 0 for a page.
  ///   - depth: The number of keys above the children of its tree.
  func object(level: Int, depth: Int) throws(PageError) -> AnyObject {
    if level == 0 { return try page(depth: depth) }
    return try branch(level: level, depth: depth)
  }

  private func branch(level: Int, depth: Int) throws(PageError) -> PageBranch {
    guard kind == Kind.branch, self.level == level else { throw error("it is not a branch of level \(level)") }
    let count = count
    guard (1...PageBranch.childCountMax).contains(count) else { throw error("the number of children is wrong") }
    return try withPayload { payload, _ throws(PageError) in
      let keysSize = payload.count - 20 * count - 4
      guard keysSize >= 0, Int(number(in: payload, 20 * count, UInt32.self)) == keysSize else {
        throw error("the size of the keys is wrong")
      }
      var (end, lastKey) = (0, OrderedKey(UnsafeRawBufferPointer(start: nil, count: 0)))
      for i in 0..<count {
        let start = Int(number(in: payload, 16 * count + 4 * i, UInt32.self))
        let next = Int(number(in: payload, 16 * count + 4 * (i + 1), UInt32.self))
        guard start == end, start <= next, next <= keysSize else { throw error("the keys are not in place") }
        end = next
        let bytes = payload[(20 * count + 4 + start)..<(20 * count + 4 + next)]
        let key = OrderedKey(UnsafeRawBufferPointer(rebasing: bytes))
        guard number(in: payload, 8 * i, UInt64.self) == key.rank else { throw error("a rank is wrong") }
        // The first key is never read.
        guard i < 2 || lastKey.compare(key) < 0 else { throw error("the keys are not in order") }
        lastKey = key
        _ = try location(fileBits: payload.loadUnaligned(fromByteOffset: 8 * (count + i), as: UInt64.self))
      }
      let mayRefer = flags & Self.noReferencesFlag == 0
      let branch = PageBranch.make(level: level, mayRefer: mayRefer, count: count, keysSize: keysSize)
      UnsafeMutableRawBufferPointer(start: branch.base, count: payload.count).copyMemory(from: payload)
      for i in 0..<count {
        let child = number(in: payload, 8 * (count + i), UInt64.self)
        branch.base.storeBytes(
          of: UInt(child) | UInt(location.store) << 48, toByteOffset: 8 * (count + i), as: UInt.self)
      }
      branch.info.pointee.depth = UInt16(clamping: depth)
      branch.info.pointee.touched = 0
      StoredObject.remember(branch.info, at: location, sizeBytes: branch.residentSize)
      return branch
    }
  }

  private func number<Number: FixedWidthInteger>(
    in payload: UnsafeRawBufferPointer, _ offset: Int, _ type: Number.Type
  ) -> Number {
    Number(littleEndian: payload.loadUnaligned(fromByteOffset: offset, as: Number.self))
  }

  /// Returns the text of this record.
  func text(byteCount: Int) throws(PageError) -> PageTextContent {
    guard kind == Kind.text, payloadSize == byteCount else { throw error("it is not a text of \(byteCount) bytes") }
    return try withPayload { payload, _ throws(PageError) in
      guard let string = String(validating: payload, as: UTF8.self) else { throw error("the text is not UTF-8") }
      return PageTextContent.make(string, at: location)
    }
  }

  private func page(depth: Int) throws(PageError) -> Page {
    guard kind == Kind.page, count > 0 else { throw error("it is not a page") }
    return try decoded(count: count, depth: depth)
  }

  /// Returns the page with the single value of this record.
  func value() throws(PageError) -> Page {
    guard kind == Kind.value, count == 0 else { throw error("it is not a value") }
    return try decoded(count: 0, depth: 0)
  }

  private func decoded(count: Int, depth: Int) throws(PageError) -> Page {
    try withPayload { payload, rest throws(PageError) in
      // Each entry takes five bytes or more.
      guard count <= payload.count / 5, payload.count <= Int(UInt32.max) / 2 else { throw error("too many entries") }
      var decoder = PageDecoder(payload, count: count, location: location, depth: depth)
      try decoder.check()
      guard decoder.references.count == referenceCount else { throw error("the number of references is wrong") }
      let stubs = try self.references(rest, expected: decoder.references)
      let page = Page.make(count: count, byteCount: payload.count)
      UnsafeMutableRawBufferPointer(start: page.base, count: payload.count).copyMemory(from: payload)
      for (reference, stub) in zip(decoder.references, stubs) {
        let object = Unmanaged.passRetained(stub)  // The page's deinit releases it.
        page.base.storeBytes(of: UInt(bitPattern: object.toOpaque()), toByteOffset: reference.position, as: UInt.self)
      }
      page.info.pointee.referenceCount = UInt16(stubs.count)
      page.info.pointee.touched = 0
      StoredObject.remember(page.info, at: location, sizeBytes: page.residentSize)
      return page
    }
  }

  /// Creates the trees and texts to which a page refers.
  private func references(
    _ rest: UnsafeRawBufferPointer, expected: [PageDecoder.Reference]
  ) throws(PageError) -> [AnyObject] {
    var stubs: [AnyObject] = []
    if expected.isEmpty { return stubs }
    var reader = ByteReader(ArraySlice(rest))
    for reference in expected {
      let stored = try StoredReference(&reader, in: self)
      guard stored.kind == reference.kind else { throw error("the kind of a reference is wrong") }
      stubs.append(stored.stub(depth: reference.depth))
    }
    return stubs
  }
}

extension PageTextContent {
  /// Creates a text that was read from a store.
  fileprivate static func make(_ string: String, at location: PageLocation) -> PageTextContent {
    let content = make(string)
    StoredObject.remember(content.info, at: location, sizeBytes: content.residentSize)
    return content
  }
}
