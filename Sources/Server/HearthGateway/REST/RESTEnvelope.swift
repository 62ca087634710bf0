import HearthTransport
import HearthTree
import NIOCore
import NIOHTTP1

/// The envelope that a request asks for: a function call for `<script>` elements, or a file name.
struct RESTEnvelope: Sendable {
  /// The function that the response's script calls; nil for no script.
  var callback: String?
  /// The header that makes browsers save the response; nil when there is none.
  var disposition: String?

  static let none = RESTEnvelope()

  init(callback: String? = nil, disposition: String? = nil) {
    self.callback = callback
    self.disposition = disposition
  }

  /// - Throws: 400 for an invalid name, and for a write.
  init(_ http: HTTPRequest, _ query: URLQuery) throws(RESTFailure) {
    let isRead = http.method == .GET || http.method == .HEAD
    // Streams have no envelope.
    guard !(isRead && http.acceptsEvents) else { return }
    if let name = try query.single(URLQuery.callbackParameter) {
      guard isRead, Self.isFunction(name) else { throw .invalidCallback }
      callback = name
    }
    if isRead, let name = try query.single("download") { disposition = Self.disposition(of: name) }
  }

  /// Returns the response in its envelope.
  func wrap(_ response: RESTResponse) -> RESTResponse {
    guard !response.isWrapped else { return response }
    var response = response
    response.isWrapped = true
    if let disposition, response.status == 200 {
      response.headers.append((name: "Content-Disposition", value: disposition))
    }
    if let callback, response.body.readableBytes > 0 {
      response.contentType = "application/javascript; charset=utf-8"
      response.body = Self.script(callback, response.body.readableBytesView)
    }
    return response
  }

  // MARK: Scripts

  private static let functionSizeBytesMax = 128

  /// Returns true for characters of identifiers, dots and brackets: none of them could end the call and begin another
  /// expression.
  private static func isFunction(_ name: String) -> Bool {
    guard (1...functionSizeBytesMax).contains(name.utf8.count) else { return false }
    return name.utf8.allSatisfy { byte in
      switch byte {
      case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "A")...UInt8(ascii: "Z"),
        UInt8(ascii: "0")...UInt8(ascii: "9"):
        true
      default: "_$.[]".utf8.contains(byte)
      }
    }
  }

  /// Returns the script `name(…);`. Two line separators are legal in JSON's strings and were not always in a script's.
  private static func script(_ callback: String, _ json: ByteBufferView) -> ByteBuffer {
    var script = ByteBufferAllocator().buffer(capacity: json.count + callback.utf8.count + 3)
    script.writeString(callback + "(")
    var start = json.startIndex
    for i in json.indices where json[i] == 0xE2 {
      guard i + 2 < json.endIndex, json[i + 1] == 0x80, json[i + 2] == 0xA8 || json[i + 2] == 0xA9 else { continue }
      script.writeBytes(json[start..<i])
      script.writeString(json[i + 2] == 0xA8 ? "\\u2028" : "\\u2029")
      start = i + 3
    }
    script.writeBytes(json[start...])
    script.writeString(");")
    return script
  }

  // MARK: Downloads

  private static let fileNameSizeBytesMax = 255

  /// Returns the name in quotes with dangerous characters replaced, and completely in the second form when it is not
  /// plain ASCII.
  private static func disposition(of name: String) -> String {
    var (plain, encoded) = ("", "")
    for byte in name.utf8.prefix(fileNameSizeBytesMax) {
      let scalar = Unicode.Scalar(byte)
      let isUnreserved =
        switch byte {
        case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "A")...UInt8(ascii: "Z"),
          UInt8(ascii: "0")...UInt8(ascii: "9"):
          true
        default: "-._~".utf8.contains(byte)
        }
      let isPlain = byte >= 0x20 && byte < 0x7F && !"\"\\/%;".utf8.contains(byte)
      plain.unicodeScalars.append(isPlain ? scalar : "_")
      if isUnreserved {
        encoded.unicodeScalars.append(scalar)
      } else if byte < 0x20 || byte == 0x7F || byte == UInt8(ascii: "/") {
        encoded += "_"
      } else {
        encoded += "%" + (byte < 16 ? "0" : "") + String(byte, radix: 16, uppercase: true)
      }
    }
    let header = "attachment; filename=\"\(plain)\""
    return name.utf8.contains { $0 >= 0x80 } ? "\(header); filename*=UTF-8''\(encoded)" : header
  }
}

extension RESTFailure {
  static let invalidCallback = RESTFailure(
    400, "callback must be the name of a JavaScript function, and is for GET requests only")
}
