import HearthTransport

extension HTTPRequest {
  /// The language that the client requests: `X-Firebase-Locale`, or the first of `Accept-Language`.
  var locale: String? {
    guard let text = header("X-Firebase-Locale") ?? header("Accept-Language") else { return nil }
    let tag = text.prefix { $0 != "," && $0 != ";" }
    let isTag = tag.utf8.allSatisfy { byte in
      switch byte {
      case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "A")...UInt8(ascii: "Z"),
        UInt8(ascii: "0")...UInt8(ascii: "9"), UInt8(ascii: "-"), UInt8(ascii: "_"):
        true
      default: false
      }
    }
    return isTag && (1...35).contains(tag.utf8.count) ? String(tag) : nil
  }
}
