import Testing

@testable import HearthTransport

@Suite struct WebSocketUTF8Tests {
  /// Returns true when the bytes are UTF-8, given in pieces of this size.
  private func isText(_ bytes: [UInt8], piece: Int = .max) -> Bool {
    var validator = UTF8Validator()
    var rest = bytes[...]
    while !rest.isEmpty {
      guard Array(rest.prefix(piece)).withUnsafeBytes({ validator.accept($0) }) else { return false }
      rest = rest.dropFirst(piece)
    }
    return validator.isComplete
  }

  @Test func `every character is valid UTF-8, and every surrogate is not`() {
    var bytes: [UInt8] = []
    for value in stride(from: UInt32(0), through: 0x10FFFF, by: 211) {
      guard let scalar = Unicode.Scalar(value) else { continue }
      bytes += Array(String(scalar).utf8)
    }
    #expect(isText(bytes))
    #expect(isText(bytes, piece: 7))
    for high in UInt8(0xA0)...0xBF { #expect(!isText([0xED, high, 0x80])) }
  }

  @Test func `pairs of bytes, and the limits of longer sequences, agree with the standard library`() {
    let borders: [UInt8] = [
      0x00, 0x41, 0x7F, 0x80, 0x8F, 0x90, 0x9F, 0xA0, 0xBF, 0xC0, 0xC2, 0xE0, 0xED, 0xF0, 0xF4, 0xFF,
    ]
    for first in UInt8(0x7F)...UInt8.max {
      for second in UInt8(0x7E)...0xC2 { check([first, second]) }
    }
    for first in UInt8(0xDF)...0xF5 {
      for second in borders { for third in borders { check([first, second, third]) } }
    }
    for first in [0xEF, 0xF0, 0xF4, 0xF5] as [UInt8] {
      for second in borders {
        for third in borders { for fourth in borders { check([first, second, third, fourth]) } }
      }
    }
  }

  private func check(_ bytes: [UInt8]) {
    let expected = String(validating: bytes, as: UTF8.self) != nil
    if isText(bytes) != expected { Issue.record("\(bytes)") }
    if isText(bytes, piece: 1) != expected { Issue.record("\(bytes), byte by byte") }
  }
}
