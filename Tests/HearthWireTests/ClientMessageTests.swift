import HearthTree
import HearthWire
import Testing

@Suite struct ClientMessageTests {
  /// Parses the action of request 7 with this action name `a` and body `b`.
  private func action(_ name: String, _ body: String) throws -> Request.Action {
    let text = #"{"t":"d","d":{"r":7,"a":"\#(name)","b":\#(body)}}"#
    guard case .request(let request) = try ClientMessage.decode(Array(text.utf8)) else {
      throw WireError(.malformed, "not a request")
    }
    #expect(request.number == 7)
    return request.action
  }

  private func refusal(_ name: String, _ body: String) throws -> String? {
    if case .refused(let refusal) = try action(name, body) { refusal.text } else { nil }
  }

  @Test func `a ping is recognized by its control type`() throws {
    guard case .ping = try ClientMessage.decode(Array(#"{"t":"c","d":{"t":"p","d":{}}}"#.utf8)) else {
      Issue.record("not a ping")
      return
    }
  }

  @Test func `other control messages are recognized and ignored`() throws {
    for type in ["a", "zz"] {
      guard case .otherControl(type) = try ClientMessage.decode(Array(#"{"d":{"d":{},"t":"\#(type)"},"t":"c"}"#.utf8))
      else {
        Issue.record("\(type)")
        continue
      }
    }
  }

  @Test func `a switch of transports is recognized`() throws {
    guard case .endOfTransmission = try ClientMessage.decode(Array(#"{"t":"c","d":{"t":"n","d":{}}}"#.utf8)) else {
      Issue.record("not the end of a transmission")
      return
    }
  }

  @Test func `a native client's listen has the hashes of its ranges`() throws {
    let body = #"{"p":"a","h":"x","ch":{"hs":["aaa=","bbb=",""],"ps":["b/c","d/.priority"]}}"#
    guard case .listen(let listen) = try action("q", body) else {
      Issue.record("not a listen")
      return
    }
    let posts = [Path("b/c"), Path([Key("d"), Key(".priority")])]
    #expect(listen.compound == CompoundHash(hashes: ["aaa=", "bbb=", ""], posts: posts))
  }

  @Test(
    "an invalid compound hash is ignored",
    arguments: [
      "null", "5", "{}", #"{"hs":[],"ps":[]}"#, #"{"hs":[""]}"#, #"{"hs":["",""],"ps":[]}"#, #"{"hs":[1],"ps":[]}"#,
      #"{"hs":["",""],"ps":[1]}"#, #"{"hs":["",""],"ps":["a/b#"]}"#, #"{"hs":["",""],"ps":[".priority/a"]}"#,
      #"{"hs":["aaaaaaaaaaaaaaaaaaaaaaaaaaaaa"],"ps":[]}"#,
    ])
  func brokenCompoundHash(_ text: String) throws {
    guard case .listen(let listen) = try action("q", #"{"p":"a","h":"","ch":\#(text)}"#) else {
      Issue.record("not a listen")
      return
    }
    #expect(listen.compound == nil && listen.path == Path("a"))
  }

  @Test func `an empty cache and a leaf have compound hashes too`() throws {
    guard case .listen(let empty) = try action("q", #"{"p":"a","h":"","ch":{"hs":[""],"ps":[]}}"#),
      case .listen(let leaf) = try action("q", #"{"p":"a","h":"","ch":{"hs":["a",""],"ps":["/"]}}"#)
    else {
      Issue.record("not a listen")
      return
    }
    #expect(empty.compound == CompoundHash(hashes: [""], posts: []))
    #expect(leaf.compound == CompoundHash(hashes: ["a", ""], posts: [.root]))
  }

  @Test func `a compound hash has a limited number of posts`() throws {
    for (count, isTaken) in [(WireLimits.standard.postsMax, true), (WireLimits.standard.postsMax + 1, false)] {
      let posts = repeatElement("\"a\"", count: count).joined(separator: ",")
      let hashes = repeatElement("\"\"", count: count + 1).joined(separator: ",")
      guard case .listen(let listen) = try action("q", #"{"p":"a","h":"","ch":{"hs":[\#(hashes)],"ps":[\#(posts)]}}"#)
      else {
        Issue.record("not a listen")
        continue
      }
      #expect((listen.compound != nil) == isTaken)
    }
  }

  @Test func `a plain listen has a path and a hash`() throws {
    guard case .listen(let listen) = try action("q", #"{"p":"/a/b","h":"abc="}"#) else {
      Issue.record("not a listen")
      return
    }
    #expect(listen.path == Path("a/b"))
    #expect(listen.hash == "abc=")
    #expect(listen.query == nil && listen.tag == nil)
  }

  @Test func `a listen with a query keeps the query object and the tag`() throws {
    guard case .listen(let listen) = try action("q", #"{"p":"a","h":"","t":3,"q":{"l":2,"vf":"l","sp":null}}"#) else {
      Issue.record("not a listen")
      return
    }
    #expect(listen.tag == 3)
    #expect(listen.query?["vf"]?.string == "l")
    if case .null? = listen.query?["sp"] {} else { Issue.record("a null member is kept") }
  }

  @Test func `a get with an empty query object is a plain get`() throws {
    guard case .get(let get) = try action("g", #"{"p":"/","q":{}}"#) else {
      Issue.record("not a get")
      return
    }
    #expect(get.location.path.isRoot && get.query == nil)
  }

  @Test func `a put reads its data in place, with server values and a hash`() throws {
    guard case .put(let put) = try action("p", #"{"p":"/a","d":{"x":1,"at":{".sv":"timestamp"}},"h":""}"#) else {
      Issue.record("not a put")
      return
    }
    #expect(put.write.location.path == Path("a"))
    #expect(put.write.value.node.child("x").scalar == .int(1))
    #expect(put.write.value.deferred.count == 1)
    #expect(put.hash == "")
  }

  @Test func `data before its path is parsed as well`() throws {
    guard case .put(let put) = try action("p", #"{"d":"high","p":"/a/.priority"}"#) else {
      Issue.record("not a put")
      return
    }
    #expect(put.write.location.isPriority)
    #expect(put.write.value.node.scalar == .string("high"))
    #expect(try refusal("p", #"{"d":{"x":1},"p":"/a/.priority"}"#) != nil)
  }

  @Test func `members of every envelope may come in any order`() throws {
    let text = #" {"d" : {"b":{"d":{"x/y":5,"z":null},"p":"q"}, "a":"m", "r":0}, "t":"d"} "#
    guard case .request(let request) = try ClientMessage.decode(Array(text.utf8)),
      case .merge(let merge) = request.action
    else {
      Issue.record("not a merge")
      return
    }
    #expect(request.number == 0)
    #expect(merge.path == Path("q"))
    #expect(Set(merge.writes.map(\.location.description)) == ["/q/x/y", "/q/z"])
  }

  @Test func `both names of the authentication action are parsed the same, with an administrator's additional members`()
    throws
  {
    for name in ["auth", "gauth"] {
      guard case .authenticate(let plain) = try action(name, #"{"cred":"t"}"#) else {
        Issue.record("\(name)")
        continue
      }
      #expect(plain.token == "t" && plain.override == nil && plain.isGoogleToken == (name == "gauth"))
    }
    guard case .authenticate(let other) = try action("gauth", #"{"cred":"t","authvar":{"uid":"u"}}"#),
      case .auth(let auth)? = other.override
    else {
      Issue.record("authvar")
      return
    }
    #expect(auth["uid"]?.string == "u")
    guard case .authenticate(let none) = try action("gauth", #"{"cred":"t","noauth":true}"#),
      case .signedOut? = none.override
    else {
      Issue.record("noauth")
      return
    }
    for value in ["5", "true", "\"u\"", "[]"] {
      guard case .refused = try action("gauth", "{\"cred\":\"t\",\"authvar\":\(value)}") else {
        Issue.record("authvar \(value)")
        continue
      }
    }
  }

  @Test func `the misspelled name of unappcheck is understood`() throws {
    for name in ["unappcheck", "unappeck"] {
      guard case .dropAppCheck = try action(name, "{}") else {
        Issue.record("\(name)")
        continue
      }
    }
  }

  @Test func `the remaining actions are distinguished`() throws {
    guard case .stats(let counters) = try action("s", #"{"c":{"sdk.js.9-5-0":1}}"#), counters["sdk.js.9-5-0"] != nil
    else { throw WireError(.malformed, "s") }
    guard case .unlisten(let unlisten) = try action("n", #"{"p":"/a","q":{"l":1},"t":4}"#), unlisten.tag == 4
    else { throw WireError(.malformed, "n") }
    guard case .onDisconnectPut = try action("o", #"{"p":"/a","d":null}"#) else { throw WireError(.malformed, "o") }
    guard case .onDisconnectMerge = try action("om", #"{"p":"/a","d":{"b":1}}"#)
    else { throw WireError(.malformed, "om") }
    guard case .onDisconnectCancel = try action("oc", #"{"p":"/a","d":null}"#)
    else { throw WireError(.malformed, "oc") }
    guard case .unauthenticate = try action("unauth", "{}") else { throw WireError(.malformed, "unauth") }
    guard case .appCheck("t") = try action("appcheck", #"{"token":"t"}"#) else {
      throw WireError(.malformed, "appcheck")
    }
    guard case .unknown("zz") = try action("zz", #"{"p":1}"#) else { throw WireError(.malformed, "zz") }
    let bare = Array(#"{"t":"d","d":{"r":1,"a":"unauth"}}"#.utf8)
    guard case .request(let request) = try ClientMessage.decode(bare), case .unauthenticate = request.action
    else { throw WireError(.malformed, "no body") }
  }

  @Test func `invalid paths are refused with Firebase's message`() throws {
    let long = String(repeating: "k", count: 769)
    let deep = String(repeating: "/a", count: 33)
    for path in ["/.info/connected", "/a.b", "/a/$x", "/a/#", "/a/[", "/a\\u0007", "/.priority/a", "/" + long, deep] {
      for (name, rest) in [("g", #","q":{}"#), ("p", #","d":1"#), ("m", #","d":{}"#), ("q", #","h":"""#)] {
        #expect(try refusal(name, #"{"p":"\#(path)"\#(rest)}"#) == "Invalid token in path", "\(name) \(path)")
      }
    }
    #expect(try refusal("m", #"{"p":"/a","d":{"b.c":1}}"#) == "Invalid token in path")
    #expect(try refusal("q", #"{"p":"/a/.priority","h":""}"#) == "Invalid token in path")
  }

  @Test(arguments: [
    #"{"a/b":1}"#, #"{"a":{"":1}}"#, #"{".value":true,".priority":false}"#, #"{".sv":"tomorrow"}"#, "1e400",
    #""\ud800""#, #"{".value":1,"a":2}"#,
  ])
  func `data that cannot be stored is refused, not closed upon`(data: String) throws {
    #expect(try refusal("p", #"{"p":"/a","d":\#(data)}"#) != nil)
  }

  @Test func `the depth limit counts from the root`() throws {
    func nested(_ levels: Int) -> String {
      String(repeating: #"{"k":"#, count: levels) + "1" + String(repeating: "}", count: levels)
    }
    #expect(try refusal("p", #"{"p":"/a/b","d":\#(nested(30))}"#) == nil)
    #expect(try refusal("p", #"{"p":"/a/b","d":\#(nested(31))}"#) != nil)
    #expect(try refusal("p", #"{"d":\#(nested(31)),"p":"/a/b"}"#) != nil)
    #expect(try refusal("m", #"{"p":"/a/b","d":{"c":\#(nested(30))}}"#) != nil)
  }

  @Test func `a string of 10 MB is taken, and one byte more is refused`() throws {
    for (size, isTaken) in [(10_485_760, true), (10_485_761, false)] {
      let text = String(repeating: "x", count: size)
      #expect(try (refusal("p", #"{"p":"/a","d":"\#(text)"}"#) == nil) == isTaken)
    }
  }

  @Test func `containers without end are refused and take no stack`() throws {
    for piece in ["[", #"{"a":"#] {
      let endless = String(repeating: piece, count: 100_000)
      #expect(try refusal("p", #"{"p":"/a","d":\#(endless)"#) != nil)
      #expect(throws: WireError(.malformed, "")) { try ClientMessage.decode(Array(endless.utf8)) }
      #expect(throws: WireError(.malformed, "")) {
        try ClientMessage.decode(Array((#"{"t":"d","d":{"b":"# + endless).utf8))
      }
    }
  }

  @Test func `missing members are refused`() throws {
    for (name, body) in [("q", "{}"), ("g", "{}"), ("p", #"{"p":"/a"}"#), ("p", #"{"d":1}"#), ("auth", "{}")] {
      #expect(try refusal(name, body) != nil, "\(name) \(body)")
    }
  }

  @Test(arguments: [
    "", "0", "{", "[]", "null", #"{"t":"d"}"#, #"{"d":{}}"#, #"{"t":"x","d":{}}"#, #"{"t":"d","d":{"a":"q"}}"#,
    #"{"t":"d","d":{"r":1}}"#, #"{"t":"d","d":{"r":"1","a":"q","b":{}}}"#, #"{"t":"d","d":{"r":1.5,"a":"q"}}"#,
    #"{"t":"d","d":{"r":4294967296,"a":"q"}}"#, #"{"t":"d","d":{"r":1,"a":"p","b":{"p":"/a","d":tru}}}"#,
    #"{"t":"d","d":{"r":1,"a":"unauth","b":{}}}x"#, #"{"t":"c","d":[]}"#, #"{"t":1,"d":{}}"#,
  ])
  func `a message without an envelope is malformed`(text: String) {
    #expect(throws: WireError(.malformed, "")) { try ClientMessage.decode(Array(text.utf8)) }
  }

  @Test func `the last of repeated members is used`() throws {
    guard case .put(let put) = try action("p", #"{"p":"/a","d":1,"d":2,"p":"/b"}"#) else {
      Issue.record("not a put")
      return
    }
    #expect(put.write.location.path == Path("b"))
    #expect(put.write.value.node.scalar == .int(2))
  }
}
