import HearthTree
import Testing

@Suite struct QueryWireTests {
  private func query(_ text: String) throws -> Query { try Query(wire: #require(JSON(parsing: text.utf8))) }

  private func error(_ text: String) -> QueryError? {
    do {
      _ = try query(text)
      return nil
    } catch {
      return error as? QueryError
    }
  }

  @Test func `Queries of clients are parsed`() throws {
    let key = try query(#"{"sp":"k1","sin":false,"i":".key"}"#)
    #expect(key.order == .key)
    #expect(key.start == Query.Bound(value: .string("k1"), isInclusive: false))
    #expect(key.end == nil && key.limit == nil && !key.loadsAllData)
    let value = try query(#"{"ep":5,"en":"[MIN_NAME]","ein":false,"i":".value"}"#)
    #expect(value.order == .value)
    #expect(value.end == .before(.int(5)))
    let child = try query(#"{"sp":"v","sin":true,"ep":"v","ein":true,"i":"x/y"}"#)
    #expect(child.order == .child(Path("x/y")))
    #expect(child.start == child.end)
    let null = try query(#"{"sp":null,"sin":true}"#)
    #expect(null.order == nil && null.effectiveOrder == .priority)
    #expect(null.start == Query.Bound(value: nil))
    #expect(try query(#"{"sp":1,"sn":"kk","sin":false,"i":"n"}"#).start == .after(.int(1), key: .key("kk")))
    #expect(try query(#"{"sp":3,"sn":"[MAX_NAME]","sin":false,"i":"n"}"#).start == .after(.int(3)))
    #expect(try query(#"{"i":".priority"}"#).order == .priority)
    #expect(try query(#"{"i":".priority"}"#).loadsAllData)
    #expect(try query(#"{"unknown":[1],"sn":5}"#) == Query())
  }

  @Test func `A limit without a direction applies from the start when there is a start`() throws {
    #expect(try query(#"{"l":3}"#).limit == .last(3))
    #expect(try query(#"{"l":3,"ep":1}"#).limit == .last(3))
    #expect(try query(#"{"l":3,"sp":null}"#).limit == .first(3))
    #expect(try query(#"{"l":3,"sp":1,"vf":"r"}"#).limit == .last(3))
    #expect(try query(#"{"l":3.0,"vf":"l"}"#).limit == .first(3))
    #expect(try query(#"{"l":9223372036854775807,"vf":"l"}"#).limit == .first(.max))
    #expect(try query(#"{"vf":"l"}"#).limit == nil)
  }

  @Test(
    arguments: [
      ("7", "not-an-object"), ("[]", "not-an-object"), ("null", "not-an-object"),
      (#"{"i":5}"#, "invalid-order"), (#"{"i":null}"#, "invalid-order"), (#"{"i":""}"#, "invalid-order"),
      (#"{"i":"/"}"#, "invalid-order"), (#"{"i":"a.b"}"#, "invalid-order"), (#"{"i":"a/.priority"}"#, "invalid-order"),
      (#"{"i":"$key"}"#, "invalid-order"), (#"{"i":"a/\u0000"}"#, "invalid-order"),
      (#"{"sp":{}}"#, "invalid-bound"), (#"{"ep":[1]}"#, "invalid-bound"), (#"{"sp":1,"sn":2}"#, "invalid-bound"),
      (#"{"sp":1,"sin":1}"#, "invalid-bound"), (#"{"ep":1,"ein":null}"#, "invalid-bound"),
      (#"{"i":".key","sp":1}"#, "invalid-key-bound"), (#"{"i":".key","ep":null}"#, "invalid-key-bound"),
      (#"{"i":".key","ep":true}"#, "invalid-key-bound"),
      (#"{"l":0}"#, "invalid-limit"), (#"{"l":-1}"#, "invalid-limit"), (#"{"l":1.5}"#, "invalid-limit"),
      (#"{"l":1e300}"#, "invalid-limit"), (#"{"l":"1"}"#, "invalid-limit"), (#"{"l":null}"#, "invalid-limit"),
      (#"{"l":1,"vf":"x"}"#, "invalid-limit"), (#"{"l":1,"vf":1}"#, "invalid-limit"),
    ])
  func `An invalid query is refused with a reason`(text: String, code: String) {
    #expect(error(text)?.code.rawValue == code)
    #expect(error(text)?.message.isEmpty == false)
  }

  @Test(
    arguments: [
      (#"{"sp":1,"sin":true}"#, #"{"sp":1}"#),
      (#"{"sp":1,"sn":"[MIN_NAME]"}"#, #"{"sp":1.0}"#),
      (#"{"sp":1,"sn":"[MIN_KEY]","sin":false}"#, #"{"sp":1}"#),
      (#"{"ep":"a","en":"[MAX_NAME]","ein":false}"#, #"{"ep":"a","en":"[MAX_KEY]"}"#),
      (#"{"ep":"a","en":"[MAX_KEY]"}"#, #"{"ep":"a"}"#),
      (#"{"sp":1,"sin":false}"#, #"{"sp":1}"#),
      (#"{"i":".key","sp":"a","sn":"b"}"#, #"{"i":".key","sp":"a"}"#),
      (#"{"i":".key","sp":"[MIN_KEY]","sin":false}"#, #"{"i":".key","sp":"[MIN_NAME]"}"#),
      (#"{"l":2}"#, #"{"l":2,"vf":"r"}"#), (#"{"i":"a/b"}"#, #"{"i":"/a//b/"}"#),
      (#"{"sp":0}"#, #"{"sp":-0.0}"#), (#"{"sp":9007199254740993}"#, #"{"sp":9007199254740992}"#),
    ])
  func `Two spellings of a query are equal`(one: String, other: String) throws {
    let (a, b) = (try query(one), try query(other))
    #expect(a == b)
    #expect(a.hashValue == b.hashValue)
    #expect(a.canonical == a && b.canonical == b)
    #expect(a.canonical.start?.key == b.canonical.start?.key && a.canonical.end?.key == b.canonical.end?.key)
    #expect(a.canonical.start?.isInclusive == b.canonical.start?.isInclusive)
    #expect(a.canonical.end?.isInclusive == b.canonical.end?.isInclusive)
  }

  @Test(
    arguments: [
      (#"{}"#, #"{"i":".priority"}"#), (#"{"sp":null}"#, #"{}"#), (#"{"sp":1}"#, #"{"ep":1}"#),
      (#"{"sp":1,"sn":"a"}"#, #"{"sp":1,"sn":"a","sin":false}"#), (#"{"sp":"1"}"#, #"{"sp":1}"#),
      (#"{"sp":"é"}"#, #"{"sp":"e\#u{301}"}"#), (#"{"sp":1,"sn":"[MAX_NAME]"}"#, #"{"sp":1}"#),
      (#"{"sp":1,"sn":"[MIN_\#u{212A}EY]"}"#, #"{"sp":1}"#), (#"{"l":2,"vf":"l"}"#, #"{"l":2,"vf":"r"}"#),
      (#"{"i":"a"}"#, #"{"i":"A"}"#), (#"{"sp":true}"#, #"{"sp":1}"#),
    ])
  func `Two queries that mean different things are not equal`(one: String, other: String) throws {
    #expect(try query(one) != query(other))
  }

  @Test func `A bound may be longer than a key and contain characters that keys cannot`() throws {
    let text = String(repeating: "\u{FFFF}", count: 786)
    #expect(try query(#"{"sp":"\#(text)","sn":"a.b/[\#(text)"}"#).start?.key == .key(Key("a.b/[" + text)))
  }
}
