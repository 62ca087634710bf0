// The layout of values in a page.
//
//     value    = tag [priority] payload        tag: bits 0…2 kind, bit 3 "a priority follows", bits 4…7 detail
//     priority = value, a number or a string, without a priority of its own
//     entry    = length(key) key value         length: seven bits a byte, lowest first, high bit "more follow"
//
//     kind        detail                  payload
//     0 nothing   –                       –  (only inside a builder)
//     1 boolean   0 or 1                  –
//     2 integer   width, 0…8              two's complement, little-endian, as many bytes as it needs
//     3 double    –                       IEEE bits, little-endian, 8 bytes
//     4 string    length 0…14, or 15      [length, when 15] UTF-8
//     5 interior  1: references inside    count (1 byte), size of the entries (2 bytes), entries in key order
//     6 tree      –                       address of a `PageTree`, 8 bytes
//     7 text      –                       address of a `PageText`, 8 bytes
//
// A page owns one count of every object whose address is in it.
//
// Example: {"n": 7, "on": true} is 05 02 08 00, 01 6E 12 07, 02 6F 6E 11.
//
// Everything here works on raw pointers, because a lookup reads a few bytes of a page, and a copy, a retain and a
// bounds check for each would be too expensive. The bytes were written by `PageWriter` or `NodeBuilder`, or `PageRecord`
// has checked them.

/// The kinds of packed values.
enum PackedKind {
  static let nothing: UInt8 = 0
  static let boolean: UInt8 = 1
  static let integer: UInt8 = 2
  static let double: UInt8 = 3
  static let string: UInt8 = 4
  static let interior: UInt8 = 5
  static let tree: UInt8 = 6
  static let text: UInt8 = 7
}

/// A value in a page, accessed in place. It is valid while the page is held.
struct PackedValue {
  static let priorityFlag: UInt8 = 0x08
  static let referencesFlag: UInt8 = 0x10

  let start: UnsafeRawPointer

  init(_ start: UnsafeRawPointer) { self.start = start }

  var tag: UInt8 { start.load(as: UInt8.self) }
  var kind: UInt8 { tag & 7 }
  var detail: Int { Int(tag >> 4) }
  var hasPriority: Bool { tag & Self.priorityFlag != 0 }
  var priority: PackedValue { PackedValue(start + 1) }
  var isInterior: Bool { kind == PackedKind.interior }

  var payload: UnsafeRawPointer {
    hasPriority ? start + 1 + PackedValue(start + 1).size : start + 1
  }

  /// The size in bytes of the whole value.
  var size: Int {
    let head = payload
    switch kind {
    case PackedKind.interior: return head - start + 3 + Self.entriesSize(head)
    case PackedKind.tree, PackedKind.text: return head - start + MemoryLayout<Unmanaged<AnyObject>>.size
    default: return leafEnd(head) - start
    }
  }

  /// Returns the end of a leaf that is stored in its page, whose payload is at `head`.
  @inline(__always)
  func leafEnd(_ head: UnsafeRawPointer) -> UnsafeRawPointer {
    switch kind {
    case PackedKind.integer: return head + detail
    case PackedKind.double: return head + 8
    case PackedKind.string:
      if detail < 15 { return head + detail }
      var text = head
      let count = Self.length(&text)
      return text + count
    default: return head
    }
  }

  /// The number of children of an interior value.
  var count: Int { Int(payload.load(as: UInt8.self)) }

  /// The entries of an interior value.
  var entries: PackedEntries {
    let head = payload
    return PackedEntries(position: head + 3, end: head + 3 + Self.entriesSize(head))
  }

  /// The bytes of an inline string value.
  var string: UnsafeRawBufferPointer {
    var text = payload
    let count = detail < 15 ? detail : Self.length(&text)
    return UnsafeRawBufferPointer(start: text, count: count)
  }

  /// The integer of an integer value.
  var integer: Int64 {
    let width = detail
    guard width > 0 else { return 0 }
    let bytes = payload
    var bits: UInt64 = 0
    for i in 0..<width { bits |= UInt64(bytes.load(fromByteOffset: i, as: UInt8.self)) << UInt64(8 * i) }
    let unused = UInt64(64 - 8 * width)
    return Int64(bitPattern: bits << unused) >> Int64(unused)
  }

  /// The double of a double value.
  var double: Double { Double(bitPattern: UInt64(littleEndian: payload.loadUnaligned(as: UInt64.self))) }

  /// A leaf's value; nil for everything else.
  var scalar: Scalar? {
    switch kind {
    case PackedKind.boolean: .bool(detail != 0)
    case PackedKind.integer: .int(integer)
    case PackedKind.double: .double(double)
    case PackedKind.string: .string(String(decoding: string, as: UTF8.self))
    case PackedKind.text: .string(text.string)
    default: nil
    }
  }

  static func entriesSize(_ head: UnsafeRawPointer) -> Int {
    Int(UInt16(littleEndian: head.loadUnaligned(fromByteOffset: 1, as: UInt16.self)))
  }

  /// Reads a length and moves the position to its end.
  static func length(_ position: inout UnsafeRawPointer) -> Int {
    var byte = position.load(as: UInt8.self)
    position += 1
    if byte < 0x80 { return Int(byte) }
    var result = Int(byte & 0x7F)
    var shift = 7
    repeat {
      byte = position.load(as: UInt8.self)
      position += 1
      result |= Int(byte & 0x7F) << shift
      shift += 7
    } while byte >= 0x80
    return result
  }

  /// Returns the number of bytes that a length takes.
  static func lengthSize(_ length: Int) -> Int {
    length < 0x80 ? 1 : (64 - UInt64(length).leadingZeroBitCount + 6) / 7
  }
}

/// One key and its value in a page, accessed in place.
struct PackedEntry {
  let start: UnsafeRawPointer
  let key: UnsafeRawBufferPointer
  let value: PackedValue

  init(_ start: UnsafeRawPointer) {
    self.start = start
    var position = start
    let count = PackedValue.length(&position)
    key = UnsafeRawBufferPointer(start: position, count: count)
    value = PackedValue(position + count)
  }

  var end: UnsafeRawPointer { value.start + value.size }
}

/// Entries that are stored one after another.
struct PackedEntries: Sequence, IteratorProtocol {
  var position: UnsafeRawPointer
  let end: UnsafeRawPointer

  mutating func next() -> PackedEntry? {
    guard position < end else { return nil }
    let entry = PackedEntry(position)
    position = entry.end
    return entry
  }

  /// The size in bytes of all entries.
  var size: Int { end - position }

  /// Returns the value of the key; nil when there is no such entry.
  func value(_ key: UnsafeRawBufferPointer) -> PackedValue? {
    var position = position
    while position < end {
      let entry = PackedEntry(position)
      if entry.key.elementsEqualBytes(key) { return entry.value }
      position = entry.end
    }
    return nil
  }
}
