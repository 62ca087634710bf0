import HearthBytes
import NIOCore
import NIOHTTP1

/// The server's side of the opening handshake (RFC 6455 §4.2).
enum WebSocketHandshake {
  /// Returns true for a request to upgrade to a WebSocket, well-formed or not.
  static func isWanted(_ request: HTTPRequest) -> Bool {
    request.method == .GET && hasToken("websocket", in: request.headers["Upgrade"])
  }

  /// Returns the response that opens the socket; nil when the request is not a correct handshake.
  static func response(to request: HTTPRequest) -> HTTPResponse? {
    let keys = request.headers["Sec-WebSocket-Key"]
    guard request.method == .GET, hasToken("websocket", in: request.headers["Upgrade"]),
      hasToken("upgrade", in: request.headers["Connection"]), request.headers["Sec-WebSocket-Version"] == ["13"],
      keys.count == 1, isKey(keys[0])
    else { return nil }
    return HTTPResponse(
      .switchingProtocols,
      headers: [
        ("Upgrade", "websocket"), ("Connection", "Upgrade"), ("Sec-WebSocket-Accept", acceptance(of: keys[0])),
      ])
  }

  /// Returns the proof for the client that this server understands WebSockets, and does not answer any request alike.
  static func acceptance(of key: String) -> String {
    SHA1.base64Digest(of: key + "258EAFA5-E914-47DA-95CA-C5AB0DC85B11")
  }

  /// Returns true for 16 bytes in Base64.
  private static func isKey(_ key: String) -> Bool {
    let digits = key.utf8.prefix(22)
    return key.utf8.count == 24 && key.utf8.suffix(2).elementsEqual("==".utf8)
      && digits.allSatisfy { byte in
        switch byte {
        case UInt8(ascii: "A")...UInt8(ascii: "Z"), UInt8(ascii: "a")...UInt8(ascii: "z"): true
        case UInt8(ascii: "0")...UInt8(ascii: "9"), UInt8(ascii: "+"), UInt8(ascii: "/"): true
        default: false
        }
      }
  }

  /// Returns true when a header that is a list contains the word, in any case.
  static func hasToken(_ token: String, in values: [String]) -> Bool {
    values.contains { value in
      value.utf8.split(separator: UInt8(ascii: ",")).contains { part in
        let trimmed = part.drop { $0 == 0x20 || $0 == 0x09 }.prefix { $0 != 0x20 && $0 != 0x09 }
        return trimmed.elementsEqual(token.utf8) { ($0 | 0x20) == $1 }
      }
    }
  }
}
