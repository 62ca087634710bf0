import HearthTree
import Testing

@testable import HearthClient

@Suite struct DatabaseAddressTests {
  @Test(
    "URLs of databases are parsed",
    arguments: [
      ("https://Chat.firebaseio.com", "chat.firebaseio.com", true, "chat", "/"),
      ("http://chat.firebaseio.com/a/b%20c", "chat.firebaseio.com", true, "chat", "/a/b c"),
      ("https://chat.europe-west1.firebasedatabase.app/", "chat.europe-west1.firebasedatabase.app", true, "chat", "/"),
      ("http://localhost:9000/?ns=chat", "localhost:9000", false, "chat", "/"),
      ("http://127.0.0.1:9000/rooms?ns=chat&x=1#y", "127.0.0.1:9000", false, "chat", "/rooms"),
      ("https://localhost:9000?ns=chat", "localhost:9000", true, "chat", "/"),
      ("ws://chat.db.localhost:9000", "chat.db.localhost:9000", false, "chat", "/"),
      ("wss://[::1]:9000/?ns=a", "[::1]:9000", true, "a", "/"),
      ("https://a.b.c/?ns=other", "a.b.c", true, "other", "/"),
      ("http://a.b.c/?ns=other", "a.b.c", true, "other", "/"),
      ("http://127.0.0.1:9000", "127.0.0.1:9000", false, "", "/"),
      ("http://server.lan/a", "server.lan", false, "", "/a"),
      ("ws://10.0.0.1", "10.0.0.1", false, "", "/"),
    ])
  func reads(url: String, authority: String, isSecure: Bool, namespace: String, path: String) throws {
    let (address, place) = try DatabaseAddress.parse(url)
    #expect(address.authority == authority && address.isSecure == isSecure && address.namespace == namespace)
    #expect(place.description == path)
  }

  @Test(
    "an invalid address is refused with a reason",
    arguments: [
      "", "chat", "ftp://a.b.c", "https://", "https://a b.c.d",
      "https://a.b.c:0", "https://a.b.c:65536", "https://a.b.c:x", "https://user@a.b.c", "https://[a.b.c]",
      "https://[::1",
      "https://a.b.c/%ff",
    ])
  func refuses(url: String) {
    #expect(throws: DatabaseAddress.Problem.self) { try DatabaseAddress.parse(url) }
  }

  @Test("an emulator is used without TLS, with the namespace of the database's URL")
  func emulator() throws {
    let address = try DatabaseAddress.parse("https://chat.firebaseio.com").address.onEmulator(
      host: "localhost", port: 9000)
    #expect(
      address == DatabaseAddress(host: "localhost", port: 9000, isSecure: false, namespace: "chat", isEmulator: true))
  }
}
