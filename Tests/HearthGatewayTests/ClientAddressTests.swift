import NIOCore
import NIOHTTP1
import Testing

@testable import HearthGateway
@testable import HearthTransport

@Suite struct ClientAddressTests {
  private static func request(
    from peer: String, forwarded: [String] = [], headers: [(String, String)] = []
  ) throws -> HTTPRequest {
    var request = HTTPRequest(
      method: .GET, target: "/", headers: HTTPHeaders([("Host", "localhost:9000")] + headers),
      peer: Peer(address: try SocketAddress(ipAddress: peer, port: 1), isEncrypted: false))
    for text in forwarded { request.headers.add(name: "X-Forwarded-For", value: text) }
    return request
  }

  private static func client(
    _ proxies: [String], from peer: String, _ forwarded: String...
  ) throws -> String {
    try TrustedProxies(proxies).origin(of: try request(from: peer, forwarded: forwarded)).address
  }

  @Test(
    "a trusted proxy is an address or a block", arguments: ["10.0.0.0/33", "10.0.0.0/", "x/8", "proxy.example", ""])
  func noProxy(text: String) {
    #expect(throws: TrustedProxies.InvalidAddress.self) { try TrustedProxies([text]) }
  }

  @Test("Security 19: headers of an untrusted peer do not affect the client address")
  func spoofedHeader() throws {
    #expect(try Self.client([], from: "192.0.2.7", "203.0.113.1") == "192.0.2.7")
    #expect(try Self.client(["10.0.0.0/8"], from: "192.0.2.7", "203.0.113.1") == "192.0.2.7")
    // Also without a header there is an address to which requests are charged.
    #expect(try Self.client(["10.0.0.0/8"], from: "10.0.0.1") == "10.0.0.1")
  }

  @Test("behind trusted proxies the right-most hop that is not a trusted proxy is the client")
  func rightMostUntrusted() throws {
    let proxies = ["10.0.0.0/8", "2001:db8::/32"]
    #expect(try Self.client(proxies, from: "10.0.0.1", "203.0.113.1") == "203.0.113.1")
    #expect(try Self.client(proxies, from: "10.0.0.1", "1.1.1.1, 203.0.113.1, 10.0.0.2") == "203.0.113.1")
    #expect(try Self.client(proxies, from: "2001:db8::5", "1.1.1.1", "203.0.113.1:99, 10.0.0.2") == "203.0.113.1")
    #expect(try Self.client(proxies, from: "10.0.0.1", "10.0.0.9, 10.0.0.2") == "10.0.0.9")
    // An unreadable entry hides those before it: the last readable hop is used.
    #expect(try Self.client(proxies, from: "10.0.0.1", "203.0.113.1, garbage, 10.0.0.2") == "10.0.0.2")
    #expect(try Self.client(proxies, from: "10.0.0.1", "203.0.113.1, ") == "10.0.0.1")
  }

  @Test("only a peer on this machine without forwarding headers is a loopback client")
  func loopback() throws {
    let proxies = try TrustedProxies(["127.0.0.1"])
    func isLocal(_ peer: String, _ headers: [(String, String)] = []) throws -> Bool {
      proxies.origin(of: try Self.request(from: peer, headers: headers)).isFromLoopback
    }
    #expect(try isLocal("127.0.0.1") && isLocal("::1"))
    #expect(try !isLocal("192.168.1.5") && !isLocal("2001:db8::1"))
    for name in ["X-Forwarded-For", "x-forwarded-host", "Forwarded", "Via", "X-Real-IP", "X-Forwarded-Proto"] {
      #expect(try !isLocal("127.0.0.1", [(name, "127.0.0.1")]), "\(name)")
    }
  }

  @Test("networks that an emulator allows count as this machine, by names without a public zone")
  func emulatorClients() throws {
    let clients = try EmulatorClients(["172.17.0.0/16"])
    func isLocal(_ peer: String, _ host: String, _ headers: [(String, String)] = []) throws -> Bool {
      var request = try Self.request(from: peer, headers: headers)
      request.headers.replaceOrAdd(name: "Host", value: host)
      return TrustedProxies.none.origin(of: request, or: clients).isFromLoopback
    }
    for host in ["172.17.0.1:9000", "localhost", "hearth:9000", "host.docker.internal:9000"] {
      #expect(try isLocal("172.17.0.5", host), "\(host)")
      #expect(try !isLocal("172.18.0.5", host), "\(host)")
      #expect(try !isLocal("172.17.0.5", host, [("Origin", "https://evil.example")]), "\(host)")
      #expect(try !isLocal("172.17.0.5", host, [("X-Forwarded-For", "127.0.0.1")]), "\(host)")
    }
    for host in ["evil.example", "0.0.0.0", ""] { #expect(try !isLocal("172.17.0.5", host), "\(host)") }
    #expect(try isLocal("127.0.0.1", "localhost") && !isLocal("127.0.0.1", "hearth"))
    #expect(throws: EmulatorClients.InvalidNetwork.self) { try EmulatorClients(["containers"]) }
  }

  @Test("request ids differ, also between starts")
  func requestIDs() {
    let (one, other) = (RequestIDs(), RequestIDs())
    let ids = (0..<100).flatMap { _ in [one.next(), other.next()] }
    #expect(Set(ids).count == 200)
  }

  @Test("only a trusted proxy sets the request id, in visible ASCII")
  func requestIDsOfProxies() throws {
    let ids = RequestIDs(proxies: try TrustedProxies(["10.0.0.0/8"]))
    func id(_ peer: String, _ names: String...) throws -> String {
      let request = try Self.request(from: peer, headers: names.map { (RequestIDs.header, $0) })
      return ids.id(of: request.headers, from: request.peer)
    }
    let longest = String(repeating: "x", count: 128)
    #expect(try id("10.0.0.1", "trace-7/a=b") == "trace-7/a=b")
    #expect(try id("10.0.0.1", longest) == longest)
    for name in [longest + "x", "", "a b", "a\u{0}", "a\u{7F}", "é", "a\r\nb"] {
      #expect(try id("10.0.0.1", name) != name, "\(name)")
    }
    #expect(try !["a", "b"].contains(id("10.0.0.1", "a", "b")), "which of them is not known")
    #expect(try id("192.0.2.7", "mine") != "mine")
    let request = try Self.request(from: "10.0.0.1", headers: [(RequestIDs.header, "x")])
    #expect(RequestIDs().id(of: request.headers, from: request.peer) != "x", "without trusted proxies nobody is one")
  }
}
