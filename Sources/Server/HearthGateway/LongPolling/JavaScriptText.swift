import NIOCore

/// The conversion of JSON to a part of a script. Nearly every JSON text means the same there; the exceptions are
/// written differently.
enum JavaScriptText {
  /// Appends the JSON text so that a script has the same value.
  ///
  /// - U+2028 and U+2029 end a line in older scripts, also inside of a text.
  /// - `</` ends the element of a script that is a part of a page.
  /// - The member `"__proto__"` would set the object's prototype; as a computed name it is a member like any other.
  static func append(_ json: UnsafeRawBufferPointer, to buffer: inout ByteBuffer) {
    var start = 0
    var index = 0
    func copy(to end: Int) {
      if end > start { buffer.writeBytes(UnsafeRawBufferPointer(rebasing: json[start..<end])) }
    }
    while index < json.count {
      guard let (text, length) = replacement(json, at: index) else {
        index += 1
        continue
      }
      copy(to: index)
      buffer.writeStaticString(text)
      index += length
      start = index
    }
    copy(to: json.count)
  }

  private static func replacement(_ json: UnsafeRawBufferPointer, at index: Int) -> (StaticString, length: Int)? {
    switch json[index] {
    case UInt8(ascii: "<"):
      return index + 1 < json.count && json[index + 1] == UInt8(ascii: "/") ? ("<\\/", 2) : nil
    case 0xE2:
      guard index + 2 < json.count, json[index + 1] == 0x80 else { return nil }
      if json[index + 2] == 0xA8 { return ("\\u2028", 3) }
      return json[index + 2] == 0xA9 ? ("\\u2029", 3) : nil
    case UInt8(ascii: "\""):
      // A quote inside of a text has a backslash before it, so this one begins a member's name.
      guard index > 0, json[index - 1] == UInt8(ascii: "{") || json[index - 1] == UInt8(ascii: ",") else { return nil }
      let name = "\"__proto__\":".utf8
      guard json.count - index >= name.count, json[index..<index + name.count].elementsEqual(name) else { return nil }
      return ("[\"__proto__\"]:", name.count)
    default: return nil
    }
  }
}
