import HearthTransport
import NIOCore
import NIOHTTP1

/// A client's request that one node of a cluster forwards to another, with the first one's facts about the client.
///
/// ```
/// request = version (1) method target headers id peer body     numbers are little-endian, texts and the body come behind
///                                                               their length (4)
/// headers = count (4), then each one's name and value
/// peer    = flags (1) client address (1) fields                flags: 1 the client's connection has TLS
///           0 unknown   1 text port (2)   2 Unix socket         client: its IP address as the first node found it, or none
/// ```
///
/// A disconnect of the client is not forwarded.
struct RelayedRequest {
  private static let version: UInt8 = 1

  /// The request as it came to the first node; its peer has the client's address as that node sees it.
  var request: HTTPRequest

  /// - Parameter client: The client's IP address as this node found it; empty when it is not known.
  init(_ request: HTTPRequest, client: String) {
    self.request = request
    self.request.peer.clientAtOtherNode = client
    self.request.cancellation = nil
  }

  /// The request in bytes; nil when it is too large to be forwarded.
  var encoded: [UInt8]? {
    guard request.body.readableBytes < RelayLimits.messageBytesMax else { return nil }
    var writer = RelayWriter()
    writer.number(Self.version)
    writer.text(request.method.rawValue)
    writer.text(request.target)
    writer.headers(request.headers.map { ($0.name, $0.value) })
    writer.text(request.id)
    writer.peer(request.peer)
    writer.body(request.body)
    guard writer.buffer.readableBytes <= RelayLimits.messageBytesMax else { return nil }
    return Array(writer.buffer.readableBytesView)
  }

  /// Reads a request of another node.
  ///
  /// - Throws: ``MalformedRelay``, also for one of another version.
  init(encoded bytes: [UInt8]) throws(MalformedRelay) {
    var reader = try RelayReader(bytes)
    let version = try reader.number(UInt8.self)
    guard version == Self.version else { throw MalformedRelay(description: "a request of version \(version)") }
    let (method, target, headers) = (try reader.name(), try reader.headText(), try reader.headers())
    guard !target.isEmpty, target.utf8.allSatisfy({ $0 > 0x20 && $0 != 0x7F }),
      headers.allSatisfy({ !$0.value.utf8.contains { [0x00, 0x0A, 0x0D].contains($0) } })
    else { throw MalformedRelay(description: "the head is not valid") }
    let (id, peer, body) = (try reader.name(), try reader.peer(), try reader.body())
    try reader.end()
    request = HTTPRequest(
      method: HTTPMethod(rawValue: method), target: target, headers: HTTPHeaders(headers), body: body, peer: peer,
      id: id)
  }
}

extension RelayWriter {
  fileprivate mutating func peer(_ peer: Peer) {
    number(peer.isEncrypted ? 1 : 0 as UInt8)
    text(peer.clientAtOtherNode ?? "")
    switch peer.address {
    case .v4?, .v6?:
      number(1 as UInt8)
      text(peer.address?.ipAddress ?? "")
      number(UInt16(clamping: peer.address?.port ?? 0))
    case .unixDomainSocket?: number(2 as UInt8)
    case nil: number(0 as UInt8)
    }
  }
}

extension RelayReader {
  fileprivate mutating func peer() throws(MalformedRelay) -> Peer {
    let flags = try number(UInt8.self)
    guard flags <= 1 else { throw MalformedRelay(description: "unknown flags \(flags)") }
    let client = try name(bytesMin: 0)
    return Peer(address: try address(), isEncrypted: flags == 1, clientAtOtherNode: client)
  }

  private mutating func address() throws(MalformedRelay) -> SocketAddress? {
    let kind = try number(UInt8.self)
    switch kind {
    case 0: return nil
    case 1:
      let (text, port) = (try name(), Int(try number(UInt16.self)))
      guard let address = try? SocketAddress(ipAddress: text, port: port) else {
        throw MalformedRelay(description: "an address is not valid")
      }
      return address
    case 2: return try? SocketAddress(unixDomainSocketPath: "")
    default: throw MalformedRelay(description: "an address of the unknown kind \(kind)")
    }
  }
}
