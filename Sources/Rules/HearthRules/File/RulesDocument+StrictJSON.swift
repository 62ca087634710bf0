extension RulesDocument {
  /// The document as plain JSON, without white space.
  var strictJSON: [UInt8] {
    var output: [UInt8] = []
    Self.write(root, to: &output)
    return output
  }

  private static func write(_ value: Value, to output: inout [UInt8]) {
    switch value.form {
    case .null: output.append(contentsOf: "null".utf8)
    case .bool(let value): output.append(contentsOf: (value ? "true" : "false").utf8)
    case .number(let text): output.append(contentsOf: text.utf8)
    case .text(let text): write(text.value, to: &output)
    case .array(let elements):
      writeList(elements, "[", "]", to: &output) { write($0, to: &$1) }
    case .object(let members):
      writeList(members, "{", "}", to: &output) { member, output in
        write(member.name.value, to: &output)
        output.append(UInt8(ascii: ":"))
        write(member.value, to: &output)
      }
    }
  }

  private static func writeList<Element>(
    _ list: [Element], _ open: String, _ close: String, to output: inout [UInt8],
    _ write: (Element, inout [UInt8]) -> Void
  ) {
    output.append(contentsOf: open.utf8)
    for (index, element) in list.enumerated() {
      if index > 0 { output.append(UInt8(ascii: ",")) }
      write(element, &output)
    }
    output.append(contentsOf: close.utf8)
  }

  private static func write(_ text: String, to output: inout [UInt8]) {
    let digits = Array("0123456789abcdef".utf8)
    output.append(UInt8(ascii: "\""))
    for byte in text.utf8 {
      switch byte {
      case UInt8(ascii: "\""), UInt8(ascii: "\\"): output.append(contentsOf: [UInt8(ascii: "\\"), byte])
      case 0x0A: output.append(contentsOf: "\\n".utf8)
      case 0x0D: output.append(contentsOf: "\\r".utf8)
      case 0x09: output.append(contentsOf: "\\t".utf8)
      case 0..<0x20:
        output.append(contentsOf: "\\u00".utf8)
        output.append(contentsOf: [digits[Int(byte >> 4)], digits[Int(byte & 15)]])
      default: output.append(byte)
      }
    }
    output.append(UInt8(ascii: "\""))
  }
}

/// The JSON dialect of configuration files: with comments, and an optional comma after the last member.
package enum CommentedJSON {
  /// Returns the text as plain JSON.
  ///
  /// - Throws: ``RulesError`` with the position of an unreadable part.
  package static func plain(_ text: String) throws(RulesError) -> [UInt8] { try RulesDocument.parse(text).strictJSON }
}
