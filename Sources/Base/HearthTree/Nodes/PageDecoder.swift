/// A check of the payload of a stored page, after which every value in it can be read in place.
///
/// A record may come from a backup of another machine: its checksum proves nothing about it.
struct PageDecoder {
  /// A reference in the page: the position of its ordinal, its kind, and the number of keys above its children.
  struct Reference {
    let position: Int
    let kind: UInt8
    let depth: Int
  }

  /// The maximum number of keys above a value: walks over the data are recursive.
  static let depthMax = 1_200

  private let payload: UnsafeRawBufferPointer
  private let count: Int
  private let location: PageLocation
  private let depth: Int
  private(set) var references: [Reference] = []

  init(_ payload: UnsafeRawBufferPointer, count: Int, location: PageLocation, depth: Int) {
    (self.payload, self.count, self.location, self.depth) = (payload, count, location, depth)
  }

  private func error(_ finding: String) -> PageError { PageError(finding, at: location) }

  private func byte(_ position: Int) throws(PageError) -> UInt8 {
    guard position < payload.count else { throw error("a value is incomplete") }
    return payload[position]
  }

  /// Checks the whole payload.
  mutating func check() throws(PageError) {
    guard count > 0 else {
      guard try value(at: 0, depth: depth) == payload.count else { throw error("bytes are left") }
      return
    }
    let width = payload.count > 0xFFFF ? 4 : 2
    var position = (width + 1) * count
    var last: OrderedKey?
    for i in 0..<count {
      let slot =
        width == 4
        ? Int(UInt32(littleEndian: payload.loadUnaligned(fromByteOffset: 4 * i, as: UInt32.self)))
        : Int(UInt16(littleEndian: payload.loadUnaligned(fromByteOffset: 2 * i, as: UInt16.self)))
      guard slot == position else { throw error("an entry is not in place") }
      let bytes = try key(&position)
      let key = OrderedKey(bytes)
      guard payload[width * count + i] == Page.hash(bytes) else { throw error("the hash of a key is wrong") }
      if let last, last.compare(key) >= 0 { throw error("the keys are not in order") }
      last = key
      position = try value(at: position, depth: depth + 1)
    }
    guard position == payload.count else { throw error("bytes are left") }
  }

  /// Reads a length of at most five bytes, and moves behind it.
  private func length(_ position: inout Int) throws(PageError) -> Int {
    var (result, shift) = (0, 0)
    while true {
      let byte = try byte(position)
      position += 1
      result |= Int(byte & 0x7F) << shift
      if byte < 0x80 { break }
      shift += 7
      guard shift <= 28 else { throw error("a length is wrong") }
    }
    guard result <= payload.count - position else { throw error("a length is wrong") }
    return result
  }

  private func key(_ position: inout Int) throws(PageError) -> UnsafeRawBufferPointer {
    let length = try length(&position)
    defer { position += length }
    return UnsafeRawBufferPointer(rebasing: payload[position..<position + length])
  }

  /// Checks a value, and returns its end. The recursion is bounded by the maximum size of a packed value.
  private mutating func value(at start: Int, depth: Int) throws(PageError) -> Int {
    let tag = try byte(start)
    var position = start + 1
    if tag & PackedValue.priorityFlag != 0 {
      let priority = try byte(position)
      guard priority & PackedValue.priorityFlag == 0 else { throw error("a priority is wrong") }
      switch priority & 7 {
      case PackedKind.integer, PackedKind.double, PackedKind.string, PackedKind.text: break
      default: throw error("a priority is wrong")
      }
      position = try value(at: position, depth: depth)
    }
    let (kind, detail) = (tag & 7, Int(tag >> 4))
    switch kind {
    case PackedKind.boolean where detail < 2: return position
    case PackedKind.integer where detail <= 8: position += detail
    case PackedKind.double where detail == 0:
      try checkDouble(position)
      position += 8
    case PackedKind.string:
      let length = detail < 15 ? detail : try length(&position)
      guard length <= payload.count - position, isUTF8(position, length) else { throw error("a text is wrong") }
      position += length
    case PackedKind.interior where detail < 2: return try interior(position, isReferring: detail == 1, depth: depth)
    case PackedKind.tree where detail == 0, PackedKind.text where detail == 0:
      guard payload.count - position >= 8, depth < Self.depthMax else { throw error("a reference is wrong") }
      let ordinal = UInt64(littleEndian: payload.loadUnaligned(fromByteOffset: position, as: UInt64.self))
      guard ordinal == references.count, ordinal < UInt64(UInt16.max) else { throw error("a reference is wrong") }
      references.append(Reference(position: position, kind: kind, depth: depth))
      position += 8
    default: throw error("a value is of no kind")
    }
    guard position <= payload.count else { throw error("a value is incomplete") }
    return position
  }

  private func checkDouble(_ position: Int) throws(PageError) {
    guard payload.count - position >= 8 else { throw error("a value is incomplete") }
    let bits = UInt64(littleEndian: payload.loadUnaligned(fromByteOffset: position, as: UInt64.self))
    let number = Double(bitPattern: bits)
    guard number.isFinite, bits != 1 << 63 else { throw error("a number is wrong") }
  }

  private func isUTF8(_ start: Int, _ length: Int) -> Bool {
    let bytes = UnsafeRawBufferPointer(rebasing: payload[start..<start + length])
    return bytes.isASCII || String(validating: bytes, as: UTF8.self) != nil
  }

  private mutating func interior(_ head: Int, isReferring: Bool, depth: Int) throws(PageError) -> Int {
    guard payload.count - head >= 3, depth < Self.depthMax else { throw error("a value is incomplete") }
    let count = Int(payload[head])
    let size = Int(payload[head + 1]) | Int(payload[head + 2]) << 8
    var position = head + 3
    let end = position + size
    guard (1...Node.packedCountMax).contains(count), size <= Node.packedSizeBytesMax, end <= payload.count else {
      throw error("the size of a value is wrong")
    }
    let before = references.count
    var last: OrderedKey?
    for _ in 0..<count {
      let key = OrderedKey(try key(&position))
      if let last, last.compare(key) >= 0 { throw error("the keys are not in order") }
      last = key
      position = try value(at: position, depth: depth + 1)
    }
    guard position == end, isReferring || references.count == before else {
      throw error("the size of a value is wrong")
    }
    return end
  }
}
