/// The encoding `application/x-www-form-urlencoded`.
package enum FormEncoding {
  /// Returns the fields in the form `a=1&b=x%20y`.
  package static func encode(_ fields: [(name: String, value: String)]) -> String {
    fields.map { escape($0.name) + "=" + escape($0.value) }.joined(separator: "&")
  }

  /// Returns the text with all but unreserved characters as `%XX`.
  package static func escape(_ text: String) -> String {
    var escaped = ""
    for byte in text.utf8 {
      switch byte {
      case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "A")...UInt8(ascii: "Z"),
        UInt8(ascii: "0")...UInt8(ascii: "9"), UInt8(ascii: "-"), UInt8(ascii: "."), UInt8(ascii: "_"),
        UInt8(ascii: "~"):
        escaped.unicodeScalars.append(Unicode.Scalar(byte))
      default:
        escaped += "%" + (byte < 16 ? "0" : "") + String(byte, radix: 16, uppercase: true)
      }
    }
    return escaped
  }
}
