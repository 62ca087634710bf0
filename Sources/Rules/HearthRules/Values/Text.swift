#if canImport(Glibc)
  import Glibc
#elseif canImport(Musl)
  import Musl
#else
  import Darwin
#endif

/// Operations on texts by code units, on UTF-8 storage. They do not consider Unicode equivalence.
package enum Text {
  /// Returns true when both texts have the same code units.
  package static func areEqual(_ a: String, _ b: String) -> Bool {
    guard a.utf8.count == b.utf8.count else { return false }
    return withBytes(a) { x in withBytes(b) { y in areEqual(x, y) } }
  }

  /// Returns true when both have the same bytes.
  @inline(__always)
  static func areEqual(_ a: UnsafeBufferPointer<UInt8>, _ b: UnsafeBufferPointer<UInt8>) -> Bool {
    guard a.count == b.count else { return false }
    return a.count == 0 || memcmp(a.baseAddress!, b.baseAddress!, a.count) == 0  // both are not empty
  }

  /// Returns true when the first text comes before the second in the order of UTF-16 code units. It differs from the
  /// order of UTF-8 only for U+E000 to U+FFFF: in UTF-16, characters beyond U+FFFF come before those.
  package static func precedes(_ a: String, _ b: String) -> Bool {
    withBytes(a) { x in withBytes(b) { y in precedes(x, y) } }
  }

  static func precedes(_ a: UnsafeBufferPointer<UInt8>, _ b: UnsafeBufferPointer<UInt8>) -> Bool {
    let count = min(a.count, b.count)
    var index = 0
    while index < count, a[index] == b[index] { index += 1 }
    guard index < count else { return a.count < b.count }
    return rank(a[index]) < rank(b[index])
  }

  private static func rank(_ byte: UInt8) -> UInt16 {
    byte >= 0xF0 ? 0xED00 + UInt16(byte) : UInt16(byte) << 8
  }

  /// Returns the number of UTF-16 code units.
  package static func length(_ text: String) -> Int { withBytes(text) { length($0) } }

  static func length(_ bytes: UnsafeBufferPointer<UInt8>) -> Int {
    var count = 0
    for byte in bytes { count += byte & 0xC0 == 0x80 ? 0 : byte >= 0xF0 ? 2 : 1 }
    return count
  }

  /// Returns true when the text contains `part`.
  package static func contains(_ text: String, _ part: String) -> Bool {
    withBytes(text) { text in withBytes(part) { part in SearchedText(part).find(in: text, from: 0) != nil } }
  }

  /// Returns true when the text begins with `part`.
  package static func begins(_ text: String, with part: String) -> Bool {
    withBytes(text) { text in
      withBytes(part) { part in part.count <= text.count && text[..<part.count].elementsEqual(part) }
    }
  }

  /// Returns true when the text ends with `part`.
  package static func ends(_ text: String, with part: String) -> Bool {
    withBytes(text) { text in
      withBytes(part) { part in part.count <= text.count && text[(text.count - part.count)...].elementsEqual(part) }
    }
  }

  /// Returns the text with every occurrence replaced, left to right, without overlap. An empty `part` occurs before
  /// every character and at the end, as in Java. nil when the result would exceed `limit` bytes.
  package static func replace(_ text: String, _ part: String, _ replacement: String, limitBytes limit: Int) -> String? {
    if part.isEmpty { return intersperse(text, replacement, limitBytes: limit) }
    return withBytes(text) { text in
      withBytes(part) { part in
        withBytes(replacement) { replacement in
          let searched = SearchedText(part)
          var (count, start) = (0, 0)
          while let found = searched.find(in: text, from: start) { (count, start) = (count + 1, found + part.count) }
          let (added, overflows) = count.multipliedReportingOverflow(by: replacement.count - part.count)
          guard !overflows, text.count + added <= limit else { return nil }
          return String(unsafeUninitializedCapacity: text.count + added) { result in
            var (start, end) = (0, 0)
            func append(_ bytes: Slice<UnsafeBufferPointer<UInt8>>) {
              _ = UnsafeMutableBufferPointer(rebasing: result[end...]).initialize(from: bytes)
              end += bytes.count
            }
            while let found = searched.find(in: text, from: start) {
              append(text[start..<found])
              append(replacement[...])
              start = found + part.count
            }
            append(text[start...])
            return end
          }
        }
      }
    }
  }

  private static func intersperse(_ text: String, _ part: String, limitBytes limit: Int) -> String? {
    var result = part
    for scalar in text.unicodeScalars {
      result.unicodeScalars.append(scalar)
      result += part
      guard result.utf8.count <= limit else { return nil }
    }
    return result
  }

  /// Calls `body` with the text's UTF-8. Keys, claims and leaves have UTF-8 storage; other texts are copied first.
  @inline(__always)
  static func withBytes<Result>(_ text: String, _ body: (UnsafeBufferPointer<UInt8>) -> Result) -> Result {
    if let result = text.utf8.withContiguousStorageIfAvailable(body) { return result }
    return Array(text.utf8).withUnsafeBufferPointer(body)
  }
}

/// A text to find in others, in linear time (Knuth, Morris and Pratt): untrusted clients may choose both texts. Valid
/// as long as its bytes.
private struct SearchedText {
  private let part: UnsafeBufferPointer<UInt8>
  /// For each prefix, the length of its longest proper prefix that is also its suffix.
  private var borders: [Int32] = [0, 0]

  init(_ part: UnsafeBufferPointer<UInt8>) {
    self.part = part
    borders.reserveCapacity(part.count)
    var matched = 0
    for index in 1..<max(1, part.count - 1) {
      while matched > 0, part[index] != part[matched] { matched = Int(borders[matched]) }
      if part[index] == part[matched] { matched += 1 }
      borders.append(Int32(truncatingIfNeeded: matched))
    }
  }

  /// Returns the position of its first occurrence at or after `start`; nil when there is none.
  func find(in text: UnsafeBufferPointer<UInt8>, from start: Int) -> Int? {
    guard let first = part.first else { return start }
    guard text.count - start >= part.count else { return nil }
    if part.count == 1 {
      var index = start
      while index < text.count, text[index] != first { index += 1 }
      return index < text.count ? index : nil
    }
    return borders.withUnsafeBufferPointer { borders in
      var matched = 0
      for index in start..<text.count {
        while matched > 0, text[index] != part[matched] { matched = Int(borders[matched]) }
        if text[index] == part[matched] { matched += 1 }
        if matched == part.count { return index - matched + 1 }
      }
      return nil
    }
  }
}
