import Testing

@testable import HearthConsole

/// Tests of the requests that the console answers.
@Suite struct ConsoleRequestTests {
  private static let local = KnownHosts(host: "127.0.0.1", names: [])

  private static func verdict(
    _ purpose: ConsoleRequest.Purpose = .session, hosts: [String] = ["127.0.0.1:9000"], origins: [String] = [],
    sites: [String] = [], tokens: [String] = ["t"], isJSON: Bool = true, isEncrypted: Bool = false,
    _ known: KnownHosts = local
  ) -> ConsoleRefusal? {
    let request = ConsoleRequest(
      purpose, hosts: hosts, origins: origins, fetchSites: sites, tokens: tokens, isJSON: isJSON,
      isEncrypted: isEncrypted)
    do throws(ConsoleRefusal) {
      _ = try request.checked(known)
      return nil
    } catch {
      return error
    }
  }

  @Test(
    "the server's own host names are accepted",
    arguments: ["127.0.0.1", "127.0.0.1:9000", "localhost:1", "LOCALHOST", "[::1]", "[::1]:65535"])
  func known(host: String) {
    #expect(Self.verdict(hosts: [host]) == nil)
    #expect(Self.verdict(.asset, hosts: [host]) == nil)
  }

  @Test(
    "every other host name is refused for every request",
    arguments: [
      "", "evil.example", "evil.example:9000", "127.0.0.1.evil.example", "127.0.0.2", "localhost.evil.example",
      "localhost.", "127.0.0.1:", "127.0.0.1:x", "127.0.0.1:65536", "127.0.0.1:9000:1", "127.0.0.1:+1", "[::1", "::1",
      "[::1]x", "127.0.0.1 ", "a@127.0.0.1", "127.0.0.1/", "127.0.0.1,evil.example", "127.0.0.1\u{301}",
      "10.0.0.1:9000", String(repeating: "a", count: 600),
    ])
  func unknown(host: String) {
    for purpose in [ConsoleRequest.Purpose.asset, .signIn, .session] {
      #expect(Self.verdict(purpose, hosts: [host]) == .unknownHost)
    }
  }

  @Test("a request has exactly one host name")
  func hostsOnce() {
    #expect(Self.verdict(hosts: []) == .unknownHost)
    #expect(Self.verdict(hosts: ["127.0.0.1", "127.0.0.1"]) == .unknownHost)
  }

  @Test("a server that listens on all addresses accepts any address as its host, and no host name")
  func wildcard() {
    let known = KnownHosts(host: "0.0.0.0", names: [])
    #expect(Self.verdict(hosts: ["10.0.0.1:9000"], isEncrypted: true, known) == nil)
    #expect(Self.verdict(hosts: ["[fe80::1]:9000"], isEncrypted: true, known) == nil)
    for host in ["evil.example", "1.2.3.4.evil.example", "1.2.3", "dead.beef"] {
      #expect(Self.verdict(hosts: [host], isEncrypted: true, known) == .unknownHost)
    }
  }

  @Test("configured host names are accepted, only over TLS")
  func names() {
    let known = KnownHosts(host: "10.0.0.1", names: ["DB.example.com"])
    for host in ["db.example.com", "db.example.com:9000", "10.0.0.1:9000"] {
      #expect(Self.verdict(hosts: [host], isEncrypted: true, known) == nil)
      #expect(Self.verdict(hosts: [host], known) == .inClear)
      #expect(Self.verdict(.asset, hosts: [host], known) == nil, "the page holds nothing of anybody's")
    }
    #expect(Self.verdict(hosts: ["localhost"], known) == nil, "it stays on this machine")
  }

  @Test(
    "a page of another origin is refused",
    arguments: [
      "https://evil.example", "null", "http://127.0.0.1", "http://127.0.0.1:9001", "https://127.0.0.1:9000",
      "http://localhost:9000", "http://127.0.0.1:9000/", "http://127.0.0.1:9000.evil.example", "",
    ])
  func origins(origin: String) {
    for purpose in [ConsoleRequest.Purpose.signIn, .session] {
      #expect(Self.verdict(purpose, origins: [origin]) == .crossSite)
    }
  }

  @Test("the server's own origin is the only accepted one, with either scheme")
  func ownOrigin() {
    #expect(Self.verdict(origins: ["http://127.0.0.1:9000"]) == nil)
    #expect(Self.verdict(origins: ["https://127.0.0.1:9000"], isEncrypted: true) == nil)
    #expect(Self.verdict(origins: ["http://127.0.0.1:9000"], isEncrypted: true) == .crossSite)
    #expect(Self.verdict(origins: ["http://127.0.0.1:9000", "http://127.0.0.1:9000"]) == .crossSite)
  }

  @Test("Sec-Fetch-Site is checked", arguments: ["cross-site", "same-site", "none", "", "x"])
  func fetchSite(site: String) {
    #expect(Self.verdict(sites: [site]) == .crossSite)
    #expect(Self.verdict(sites: ["same-origin", site]) == .crossSite)
    #expect(Self.verdict(.asset, sites: [site]) == nil, "a link elsewhere may lead to the page")
    #expect(Self.verdict(sites: ["same-origin"]) == nil)
  }

  @Test("the console's header is required, exactly once; a sign-in has none yet, and is JSON")
  func header() {
    #expect(Self.verdict(tokens: []) == .noHeader)
    #expect(Self.verdict(tokens: [""]) == .noHeader)
    #expect(Self.verdict(tokens: ["a", "b"]) == .noHeader)
    #expect(Self.verdict(.signIn, tokens: []) == nil)
    #expect(Self.verdict(.signIn, tokens: [], isJSON: false) == .crossSite)
  }
}
