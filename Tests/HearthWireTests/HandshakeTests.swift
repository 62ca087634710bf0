import HearthWire
import Testing

@Suite struct HandshakeTests {
  @Test func `parameters are found in any order, escaped or not`() {
    let web = Handshake(target: "/.ws?v=5&p=1:123:web:abc&ls=Zx9&ns=chat")
    #expect(web.version == "5" && web.appID == "1:123:web:abc" && web.lastSession == "Zx9" && web.namespace == "chat")
    let android = Handshake(target: "/.ws?ns=chat&v=5&ls=")
    #expect(android.namespace == "chat" && android.lastSession == nil)
    let escaped = Handshake(target: "/.ws?ac=a%2Bb+c%zz%2&r=f&s=5&ns=ch%61t")
    #expect(escaped.appCheckToken == "a+b+c%zz%2" && escaped.isConsole && escaped.joinedSession == "5")
    #expect(escaped.namespace == "chat")
    let bare = Handshake(target: "/.ws")
    #expect(bare.version == nil && bare.namespace == nil && !bare.isConsole)
  }

  @Test func `the namespace is the parameter, else the host's first label, else the fallback`() {
    let cases: [(String?, String?, String)] = [
      ("Chat", "foo.firebaseio.com", "chat"), (nil, "foo.firebaseio.com", "foo"), ("", "FOO.a.b:9000", "foo"),
      (nil, "localhost:9000", "fallback"), (nil, "example.com", "fallback"), (nil, "127.0.0.1:9000", "fallback"),
      (nil, "[::1]:9000", "fallback"), (nil, nil, "fallback"), (nil, ".a.b", "fallback"),
    ]
    for (parameter, host, expected) in cases {
      #expect(Namespace.choose(parameter: parameter, host: host, fallback: "fallback") == expected)
    }
  }

  @Test func `database names contain only plain characters`() {
    for name in ["a", "chat-default-rtdb", "a_1", String(repeating: "a", count: 63)] {
      #expect(Namespace.isValid(name))
    }
    for name in ["", "A", "a.b", "a/b", "ä", String(repeating: "a", count: 64)] { #expect(!Namespace.isValid(name)) }
  }
}
