import HearthTree
import HearthTriggers
import Testing

@Suite struct DefinitionTests {
  static let full =
    #"{"name":"new-message","databases":"demo-*","path":"/rooms/{room}","on":"create","url":"https://fn.example.org/x","form":"webhook","retry":true,"timeoutSeconds":5,"concurrency":2,"windowSeconds":60,"location":"europe-west1","allowsPrivate":true,"pause":"by hand","secrets":["whsec_aGVhcnRoLXRlc3Qtc2VjcmV0LTAxMjM0NTY3ODlhYmM="]}"#

  @Test("stored definitions are decoded unchanged, and printed ones have no secret")
  func stored() throws {
    let definition = try TriggerDefinition(try #require(JSON(parsing: Self.full.utf8)))
    #expect(try TriggerDefinition(definition.stored) == definition)
    #expect(definition.secrets.count == 1)
    let shown = String(decoding: definition.shown.text(), as: UTF8.self)
    #expect(!shown.contains("whsec"))
    #expect(shown.contains(#""secrets":1"#))
  }

  @Test(
    "an invalid trigger is refused",
    arguments: [
      #"{}"#, #"{"name":"a/b","path":"/a","on":"write","url":"http://x"}"#,
      #"{"name":"a","path":"/a","on":"read","url":"http://x"}"#,
      #"{"name":"a","path":"/a","on":"write","url":"ftp://x"}"#,
      #"{"name":"a","path":"/a","on":"write","url":"http://x y"}"#,
      #"{"name":"a","path":"/a/*","on":"write","url":"http://x","form":"gen1"}"#,
      #"{"name":"a","path":"/a","on":"write","url":"http://x","timeoutSeconds":541}"#,
      #"{"name":"a","path":"/a","on":"write","url":"http://x","timeoutSeconds":1e30}"#,
      #"{"name":"a","path":"/a","on":"write","url":"http://x","concurrency":65}"#,
      #"{"name":"a","path":"/a","on":"write","url":"http://x","secrets":["x"]}"#,
      #"{"name":"a","path":"/a","on":"write","url":"http://x","form":"binary"}"#,
      #"{"name":"a","path":"/a","on":"write","url":"http://x","databases":7}"#,
      #"{"name":"a","user":"changed","url":"http://x"}"#, #"{"name":"a","user":"created"}"#,
      #"{"name":"a","user":"created","path":"/a","url":"http://x"}"#,
      #"{"name":"a","user":"created","databases":"x","url":"http://x"}"#,
      #"{"name":"a","user":"created","plugin":"p"}"#,
      #"{"name":"a","path":"/a","on":"write","plugin":"p","url":"http://x"}"#,
      #"{"name":"a","path":"/a","on":"write","plugin":"../p"}"#,
      #"{"name":"a","path":"/a","on":"write","plugin":"p","form":"gen1"}"#,
      #"{"name":"a","path":"/a","on":"write","plugin":"p","secrets":["whsec_aGVhcnRoLXRlc3Qtc2VjcmV0LTAxMjM0NTY3ODlhYmM="]}"#,
    ])
  func refusal(text: String) throws {
    let json = try #require(JSON(parsing: text.utf8))
    #expect(throws: TriggerProblem.self) { try TriggerDefinition(json) }
  }

  @Test("triggers for users, and those for plugins, are decoded as they were stored")
  func otherSubjects() throws {
    for text in [
      #"{"name":"u","user":"deleted","url":"http://127.0.0.1/","form":"gen1"}"#,
      #"{"name":"p","path":"/a/{b}","on":"update","plugin":"search-index"}"#,
    ] {
      let definition = try TriggerDefinition(try #require(JSON(parsing: text.utf8)))
      #expect(try TriggerDefinition(definition.stored) == definition)
      #expect(definition.appliesTo(database: "x") == (definition.name == "p"))
    }
    let users = try TriggerDefinition(name: "t", .users(.created), to: .url("https://x"), form: .gen1)
    let others = try TriggerDefinition(name: "t", .users(.deleted), to: .url("https://x"), form: .webhook)
    #expect(users.continues(others))
    #expect(users.concurrency == 1)
    let json = try #require(JSON(parsing: #"{"name":"t","path":"/","on":"write","plugin":"p"}"#.utf8))
    let writes = try TriggerDefinition(json)
    #expect(writes.form == .webhook)
    #expect(!writes.continues(users))
  }

  @Test("triggers that the Firebase tools register are parsed")
  func emulator() throws {
    func definition(_ text: String) throws -> TriggerDefinition? {
      let json = try #require(JSON(parsing: text.utf8))
      return try TriggerDefinition(emulator: json, database: "demo-app", host: "127.0.0.1:5001", project: "demo-proj")
    }
    let one = try #require(
      try definition(
        #"{"name":"projects/demo-proj/locations/_/functions/us-central1-onMsg-0","path":"/rooms/{room}","event":"providers/google.firebase.database/eventTypes/ref.write","topic":"projects/demo-proj/topics/us-central1-onMsg-0"}"#
      ))
    #expect(one.form == .gen1)
    #expect(one.appliesTo(database: "demo-app") && !one.appliesTo(database: "demo"))
    #expect(one.target.url == "http://127.0.0.1:5001/functions/projects/demo-proj/triggers/us-central1-onMsg-0")
    let two = try #require(
      try definition(
        #"{"name":"projects/demo-proj/locations/us-central1/triggers/us-central1-onMsg2-0","path":"rooms/{room}","event":"google.firebase.database.ref.v1.written","topic":"projects/demo-proj/topics/us-central1-onMsg2-0","namespacePattern":"*"}"#
      ))
    #expect(two.form == .cloudEvent)
    #expect(
      two.subject == .writes(databases: .all, pattern: try TriggerPattern("rooms/{room}"), eventType: .write))
    #expect(try definition(#"{"name":"n","path":"/","event":"google.cloud.storage","topic":"t"}"#) == nil)
    #expect(throws: TriggerProblem.self) {
      try definition(#"{"name":"n","path":"/","event":"google.firebase.database.ref.v1.read","topic":"t"}"#)
    }
    #expect(throws: TriggerProblem.self) { try definition(#"{"name":"n"}"#) }
  }
}
