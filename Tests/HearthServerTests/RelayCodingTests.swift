import NIOCore
import NIOHTTP1
import RandomTestKit
import Testing

@testable import HearthServer
@testable import HearthTransport

/// Tests of the encoding of requests and answers between nodes.
@Suite struct RelayCodingTests {
  static let request: HTTPRequest = {
    var request = HTTPRequest(
      method: .POST, target: "/v1/accounts:lookup?key=ä",
      headers: ["Host": "db.example", "X-Forwarded-For": "203.0.113.9", "x-forwarded-for": "10.0.0.2", "Empty": ""],
      body: ByteBuffer(string: "{\"a\":1}"), peer: Peer(address: nil, isEncrypted: true), id: "4f1c20aa-1f")
    request.peer.address = try? SocketAddress(ipAddress: "192.0.2.7", port: 4_711)
    return request
  }()

  static let response = HTTPResponse(
    .init(statusCode: 429), headers: [("Content-Type", "text/plain"), ("Set-Cookie", "a"), ("Set-Cookie", "b")],
    body: ByteBuffer(bytes: [0, 255]))

  /// Returns all parts of a request that another node receives, as text.
  static func summary(_ request: HTTPRequest) -> String {
    let headers = request.headers.map { "\($0.name)=\($0.value)" }.joined(separator: "&")
    let peer = request.peer
    return "\(request.method) \(request.target) \(headers) \(request.id) \(String(describing: peer.address)) "
      + "\(peer.isEncrypted) \(peer.clientAtOtherNode ?? "-") \(Array(request.body.readableBytesView))"
  }

  static func summary(_ response: HTTPResponse) -> String {
    let headers = response.headers.map { "\($0.name)=\($0.value)" }.joined(separator: "&")
    return
      "\(response.status.code) \(headers) \(response.readPauseMilliseconds) \(Array(response.body.readableBytesView))"
  }

  @Test("a decoded request equals the encoded one, with any peer")
  func requests() throws {
    for (address, text) in [
      (try SocketAddress(ipAddress: "192.0.2.7", port: 4_711), "192.0.2.7"),
      (try SocketAddress(ipAddress: "2001:db8::1", port: 65_535), "2001:db8::1"),
      (try SocketAddress(ipAddress: "::ffff:127.0.0.1", port: 0), "127.0.0.1"),
      (try SocketAddress(unixDomainSocketPath: ""), ""), (nil, ""),
    ] as [(SocketAddress?, String)] {
      for isEncrypted in [false, true] {
        var request = Self.request
        request.peer = Peer(address: address, isEncrypted: isEncrypted)
        let relayed = RelayedRequest(request, client: text)
        let found = try RelayedRequest(encoded: try #require(relayed.encoded)).request
        request.peer.clientAtOtherNode = text
        #expect(Self.summary(found) == Self.summary(request))
        #expect(found.peer.isLoopback == request.peer.isLoopback)
      }
    }
  }

  @Test("a decoded answer equals the encoded one")
  func answers() throws {
    var response = Self.response
    response.readPauseMilliseconds = 250
    let bytes = try #require(RelayedResponse.response(response).encoded)
    guard case .response(let found) = try RelayedResponse(encoded: bytes) else { throw Unexpected() }
    #expect(Self.summary(found) == Self.summary(response))
    guard case .notOwner = try RelayedResponse(encoded: [1, 2]) else { throw Unexpected() }
    guard case .notUnderstood = try RelayedResponse(encoded: [1, 3]) else { throw Unexpected() }
    #expect(RelayedResponse.notOwner.encoded == [1, 2] && RelayedResponse.notUnderstood.encoded == [1, 3])
  }

  private struct Unexpected: Error {}

  @Test("the bytes of version 1")
  func workedExample() throws {
    let request = HTTPRequest(
      method: .GET, target: "/", headers: ["A": "b"], body: ByteBuffer(bytes: [9]),
      peer: Peer(address: try SocketAddress(ipAddress: "::1", port: 258), isEncrypted: true), id: "i")
    var bytes: [UInt8] = [1, 3, 0, 0, 0] + Array("GET".utf8) + [1, 0, 0, 0, 47]
    bytes += [1, 0, 0, 0, 1, 0, 0, 0, 65, 1, 0, 0, 0, 98, 1, 0, 0, 0, 105]
    bytes += [1, 3, 0, 0, 0] + Array("::1".utf8) + [1, 3, 0, 0, 0] + Array("::1".utf8) + [2, 1, 1, 0, 0, 0, 9]
    #expect(RelayedRequest(request, client: "::1").encoded == bytes)
    #expect(
      RelayedResponse.response(HTTPResponse(.noContent)).encoded
        == [1, 1, 204, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0])
  }

  @Test("truncated and overlong bytes are refused, and altered bytes never trap")
  func broken() throws {
    let request = try #require(RelayedRequest(Self.request, client: "203.0.113.9").encoded)
    let response = try #require(RelayedResponse.response(Self.response).encoded)
    for length in request.indices {
      #expect(throws: MalformedRelay.self) { try RelayedRequest(encoded: Array(request[..<length])) }
    }
    for length in response.indices {
      #expect(throws: MalformedRelay.self) { try RelayedResponse(encoded: Array(response[..<length])) }
    }
    #expect(throws: MalformedRelay.self) { try RelayedRequest(encoded: request + [0]) }
    #expect(throws: MalformedRelay.self) { try RelayedResponse(encoded: response + [0]) }
    var random = SeededRandom(seed: 1)
    for _ in 0..<5_000 {
      var (request, response) = (request, response)
      for _ in 0...random.below(3) {
        request[random.below(request.count)] = UInt8(random.below(256))
        response[random.below(response.count)] = UInt8(random.below(256))
      }
      if let found = try? RelayedRequest(encoded: request) {
        let again = RelayedRequest(found.request, client: found.request.peer.clientAtOtherNode ?? "").encoded
        #expect(try RelayedRequest(encoded: try #require(again)).request.target == found.request.target)
      }
      if let found = try? RelayedResponse(encoded: response) { #expect(found.encoded == response) }
    }
  }

  @Test("malformed heads are refused: another version, line breaks, sizes over the limits")
  func strictness() throws {
    func request(_ change: (inout HTTPRequest) -> Void, client: String = "") throws -> [UInt8] {
      var request = Self.request
      change(&request)
      return try #require(RelayedRequest(request, client: client).encoded)
    }
    let changes: [(inout HTTPRequest) -> Void] = [
      { $0.target = "" }, { $0.target = "/a b" }, { $0.target = "/\r\nX: y" }, { $0.id = "" }, { $0.id = "a b" },
      { $0.id = String(repeating: "x", count: 129) }, { $0.method = .RAW(value: "") },
      { $0.method = .RAW(value: "GET /") }, { $0.headers.add(name: "", value: "") },
      { $0.headers.add(name: "A:", value: "") }, { $0.headers.add(name: "A", value: "b\nC: d") },
      { $0.headers.add(name: "A", value: String(repeating: "x", count: RelayLimits.headBytesMax)) },
      { for _ in 0..<RelayLimits.headersMax { $0.headers.add(name: "A", value: "") } },
    ]
    for (index, change) in changes.enumerated() {
      let bytes = try request(change)
      #expect(throws: MalformedRelay.self, "\(index)") { try RelayedRequest(encoded: bytes) }
    }
    for client in ["a b", String(repeating: "1", count: 129)] {
      let bytes = try request({ _ in }, client: client)
      #expect(throws: MalformedRelay.self) { try RelayedRequest(encoded: bytes) }
    }
    let other = [2] + (try request { _ in }).dropFirst()
    #expect(throws: MalformedRelay.self) { try RelayedRequest(encoded: other) }
    for status: UInt8 in [101, 199] {
      let bytes = [1, 1, status] + [UInt8](repeating: 0, count: 17)
      #expect(throws: MalformedRelay.self) { try RelayedResponse(encoded: bytes) }
    }
    for bytes: [UInt8] in [[], [1], [1, 0], [1, 4], [2, 2], [1, 2, 0]] {
      #expect(throws: MalformedRelay.self) { try RelayedResponse(encoded: bytes) }
    }
  }

  @Test("oversized messages and invalid responses are not encoded")
  func tooLarge() {
    var (request, response) = (Self.request, Self.response)
    request.body = ByteBuffer(repeating: 1, count: RelayLimits.messageBytesMax - 100)
    #expect(RelayedRequest(request, client: "").encoded == nil)
    response.body = ByteBuffer(repeating: 1, count: RelayLimits.messageBytesMax - 200)
    #expect(RelayedResponse.response(response).encoded != nil)
    response.body = ByteBuffer(repeating: 1, count: RelayLimits.messageBytesMax - 10)
    #expect(RelayedResponse.response(response).encoded == nil)
    for headers in [
      [("A\r\nB", "")], [("", "")], [("A", String(repeating: "x", count: RelayLimits.headBytesMax))],
      Array(repeating: ("A", ""), count: RelayLimits.headersMax + 1),
    ] {
      #expect(RelayedResponse.response(HTTPResponse(.ok, headers: headers)).encoded == nil)
    }
    #expect(RelayedResponse.response(HTTPResponse(.switchingProtocols)).encoded == nil)
  }
}
