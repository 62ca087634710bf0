import NIOHTTP1

extension RESTResponse {
  /// The answer to a browser that asks whether it may send a request. It needs no credential.
  static func preflight(_ headers: HTTPHeaders) -> RESTResponse {
    var answer: [(name: String, value: String)] = [
      (name: "Access-Control-Allow-Methods", value: "GET, PUT, POST, PATCH, DELETE"),
      (name: "Access-Control-Max-Age", value: "3600"),
    ]
    let asked = headers["Access-Control-Request-Headers"].joined(separator: ", ")
    // Only what can be a list of header names is echoed.
    let isList = asked.utf8.allSatisfy { byte in
      switch byte {
      case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "A")...UInt8(ascii: "Z"),
        UInt8(ascii: "0")...UInt8(ascii: "9"), UInt8(ascii: "-"), UInt8(ascii: "_"), UInt8(ascii: ","), 0x20:
        true
      default: false
      }
    }
    if !asked.isEmpty, isList { answer.append((name: "Access-Control-Allow-Headers", value: asked)) }
    return RESTResponse(headers: answer, body: [])
  }
}
