import HearthBytes
import HearthTree
import NIOCore

@testable import HearthGateway
@testable import HearthTransport
@testable import HearthWire

extension Parser {
  /// Parsers of the parts of requests that SwiftNIO does not parse.
  static let requestParsers = [
    Parser(name: "target") { bytes in
      _ = Handshake(target: String(decoding: bytes, as: UTF8.self))
      let path = bytes.prefix { $0 != UInt8(ascii: "?") }
      _ = try? RESTTarget(path: path)
      for isStrict in [false, true] {
        guard let query = try? URLQuery(bytes.dropFirst(path.count + 1), strict: isStrict) else { continue }
        _ = try? RESTFilters.query(query)
        _ = try? RESTFilters.page(query)
        _ = try? HistorySelection(query)
      }
    },
    Parser(name: "form") { bytes in
      // The first line is the header.
      let line = bytes.prefix { $0 != UInt8(ascii: "\n") }
      let form = MultipartForm(
        ByteBuffer(bytes: bytes.dropFirst(line.count + 1)), contentType: String(decoding: line, as: UTF8.self))
      _ = form?.file
    },
    Parser(name: "forwarded") { bytes in
      let texts = bytes.split(separator: UInt8(ascii: "\n")).map { String(decoding: $0, as: UTF8.self) }
      let peer = Peer(address: try? SocketAddress(ipAddress: "10.0.0.1", port: 1), isEncrypted: false)
      let proxies = try TrustedProxies(["10.0.0.0/8", "fd00::/8"])
      _ = proxies.address(of: peer, forwardedFor: texts)
      for text in texts {
        _ = IPNetwork(text)
        _ = HTTPRequest.hostName(ofAuthority: text)
      }
    },
    Parser(name: "moment") { bytes in
      _ = try? HistoryMoment(String(decoding: bytes, as: UTF8.self), nowMilliseconds: 1_800_000_000_000)
    },
  ]
}
