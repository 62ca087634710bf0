import Glibc

extension UnsafeRawBufferPointer {
  /// Returns the offset of `word` at or behind `start`; nil when it does not occur. Quick when the word's first byte is
  /// rare.
  func firstOffset(of word: [UInt8], from start: Int = 0) -> Int? {
    guard let base = baseAddress, let first = word.first, start >= 0 else { return nil }
    var place = start
    while place + word.count <= count {
      guard let found = memchr(base + place, Int32(first), count - word.count + 1 - place) else { return nil }
      place = UnsafeRawPointer(found) - base
      if self[place..<place + word.count].elementsEqual(word) { return place }
      place += 1
    }
    return nil
  }
}
