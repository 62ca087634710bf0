import HearthCrypto
import HearthTree
import HearthTriggers
import Testing

/// Tests of bodies and signatures byte for byte, as handlers of both generations accept them.
@Suite struct BodyTests {
  static let secret = "whsec_aGVhcnRoLXRlc3Qtc2VjcmV0LTAxMjM0NTY3ODlhYmM="

  static func envelope(
    _ ref: String, _ author: EventAuthor, _ payload: TriggerEvent.Payload, kind: EventKind = .updated,
    eventType: TriggerEventType = .write
  ) throws -> EventEnvelope {
    let event = TriggerEvent(
      position: 1, ordinal: 1, milliseconds: 1_795_329_000_123, kind: kind, ref: ref, author: author, payload: payload)
    return EventEnvelope(
      id: "0b7x2q9d4m1k-000001", sequence: nil, event: event,
      address: EventEnvelope.Address(
        trigger: "t", eventType: eventType, pattern: try TriggerPattern("/rooms/{room}/messages/{msg}"),
        database: "demo-app",
        location: "us-central1", host: "db.example.org"))
  }

  @Test("a structured CloudEvent, and its signature")
  func cloudEvent() throws {
    let envelope = try Self.envelope(
      "rooms/é/messages/m1", .user(Array(#"{"uid":"u1"}"#.utf8)),
      .text(Array(#"{"data":null,"delta":{"text":"hi"}}"#.utf8)),
      kind: .created)
    let body = try #require(envelope.body(.cloudEvent))
    #expect(body.count == 498)
    #expect(
      String(decoding: body, as: UTF8.self)
        == #"{"specversion":"1.0","id":"0b7x2q9d4m1k-000001","source":"//firebasedatabase.googleapis.com/projects/_/locations/us-central1/instances/demo-app","subject":"refs/rooms/é/messages/m1","type":"google.firebase.database.ref.v1.written","time":"2026-11-22T06:30:00.123Z","datacontenttype":"application/json","instance":"demo-app","ref":"rooms/é/messages/m1","location":"us-central1","firebasedatabasehost":"db.example.org","authtype":"app_user","authid":"u1","data":{"data":null,"delta":{"text":"hi"}}}"#
    )
    #expect(
      WebhookSecret.signatures([try WebhookSecret(Self.secret)], id: envelope.id, seconds: 1_795_329_000, body: body)
        == "v1,ep4OG65eVy1/P4s+GLxEUX4uOMYXXgDQRpoNJQeowhM=")
  }

  @Test("the flat JSON of first-generation functions")
  func gen1() throws {
    let auth = #"{"uid":"u1","provider":"password","token":{"sub":"u1","email":"a@example.org"}}"#
    let envelope = try Self.envelope(
      "rooms/r1/messages/m1", .user(Array(auth.utf8)),
      .text(Array(#"{"data":{"text":"hi"},"delta":{"text":"hello"}}"#.utf8)))
    let body = try #require(envelope.body(.gen1))
    #expect(body.count == 440)
    #expect(
      String(decoding: body, as: UTF8.self)
        == #"{"eventId":"0b7x2q9d4m1k-000001","timestamp":"2026-11-22T06:30:00.123Z","eventType":"providers/google.firebase.database/eventTypes/ref.write","resource":"projects/_/instances/demo-app/refs/rooms/r1/messages/m1","domain":"db.example.org","params":{"room":"r1","msg":"m1"},"auth":{"admin":false,"variable":{"uid":"u1","provider":"password","token":{"sub":"u1","email":"a@example.org"}}},"data":{"data":{"text":"hi"},"delta":{"text":"hello"}}}"#
    )
  }

  @Test("signatures: one for each secret, none without secrets")
  func signatures() throws {
    let body = Array(#"{"data":{"text":"hi"},"delta":{"text":"hello","ts":1795329000123}}"#.utf8)
    let (one, two) = (try WebhookSecret(Self.secret), try WebhookSecret("whsec_" + String(repeating: "A", count: 32)))
    func signatures(_ secrets: [WebhookSecret]) -> String? {
      WebhookSecret.signatures(secrets, id: "0b7x2q9d4m1k-000001", seconds: 1_795_329_000, body: body)
    }
    #expect(signatures([one]) == "v1,Goz6xhucoIdUHzpAf0cRA0M/Y7TrBuSvDCDaz+NUZS4=")
    #expect(signatures([two, one])?.hasSuffix(" v1,Goz6xhucoIdUHzpAf0cRA0M/Y7TrBuSvDCDaz+NUZS4=") == true)
    #expect(signatures([]) == nil)
    #expect("\(one)" == "<WebhookSecret>")
  }

  @Test(
    "an invalid secret is refused without being printed",
    arguments: ["", "whsec_", "aGVhcnRo", "whsec_c2hvcnQ=", "whsec_???"])
  func badSecret(text: String) {
    #expect(throws: WebhookSecretError.self) { try WebhookSecret(text) }
  }

  @Test("the writer's identity in each event form")
  func authors() throws {
    for (author, type, legacy) in [
      (EventAuthor.administrator, #""authtype":"admin","data""#, #""auth":{"admin":true}"#),
      (.signedOut, #""authtype":"unauthenticated","data""#, #""auth":{"admin":false}"#),
    ] {
      let envelope = try Self.envelope("rooms/r/messages/m", author, .text(Array("{}".utf8)))
      #expect(String(decoding: envelope.body(.cloudEvent) ?? [], as: UTF8.self).contains(type))
      #expect(String(decoding: envelope.body(.gen1) ?? [], as: UTF8.self).contains(legacy))
    }
  }

  @Test("the event type is the function's own for every kind of change")
  func ownType() throws {
    let envelope = try Self.envelope(
      "rooms/r/messages/m", .signedOut, .text(Array("{}".utf8)), kind: .created, eventType: .create)
    #expect(String(decoding: envelope.body(.cloudEvent) ?? [], as: UTF8.self).contains("ref.v1.created\""))
    #expect(String(decoding: envelope.body(.gen1) ?? [], as: UTF8.self).contains("eventTypes/ref.create\""))
  }

  @Test("oversized values are a reference for a webhook, and null for a function")
  func reference() throws {
    let envelope = try Self.envelope("rooms/r/messages/m", .signedOut, .reference)
    #expect(envelope.body(.cloudEvent) == nil)
    #expect(envelope.body(.gen1) == nil)
    let json = try #require(JSON(parsing: envelope.body(.webhook) ?? []))
    #expect(json["data"]?["isTooLarge"]?.bool == true)
    #expect(json["data"]?["path"]?.string == "/rooms/r/messages/m")
    #expect(json["data"]?["params"]?["room"]?.string == "r")
    #expect(json["type"]?.string == "database.updated")
  }

  private static func user(_ eventType: UserEventType) throws -> UserEvent {
    let user =
      #"{"uid":"u1","email":"a@example.com","emailVerified":false,"disabled":false,"metadata":{"creationTime":"2026-11-22T06:29:59.000Z","lastSignInTime":"2026-11-22T06:29:59.000Z"},"providerData":[{"providerId":"password","uid":"a@example.com","email":"a@example.com"}],"customClaims":{}}"#
    return UserEvent(
      position: 9, ordinal: 2, milliseconds: 1_795_329_000_123, eventType: eventType, uid: "u1",
      user: try #require(JSON(parsing: user.utf8)))
  }

  @Test("an event of a user is encoded and decoded unchanged")
  func userEventIsKept() throws {
    for eventType in UserEventType.allCases {
      let event = try Self.user(eventType)
      #expect(UserEvent(position: 9, ordinal: 2, uid: "u1", content: event.content) == event)
      for cut in 0..<12 {
        #expect(UserEvent(position: 9, ordinal: 2, uid: "u1", content: Array(event.content.prefix(cut))) == nil)
      }
    }
    #expect(UserEvent(position: 9, ordinal: 2, uid: "u1", content: [2, 0] + Array(repeating: 0, count: 20)) == nil)
  }

  @Test("the user records for functions of each generation")
  func userBodies() throws {
    func text(_ eventType: UserEventType, _ form: EventForm) throws -> String {
      let envelope = UserEnvelope(event: try Self.user(eventType), trigger: "welcome", project: "demo-proj")
      return String(decoding: envelope.body(form), as: UTF8.self)
    }
    let user =
      #"{"uid":"u1","email":"a@example.com","emailVerified":false,"disabled":false,"metadata":{"creationTime":"2026-11-22T06:29:59.000Z","lastSignInTime":"2026-11-22T06:29:59.000Z"},"providerData":[{"providerId":"password","uid":"a@example.com","email":"a@example.com"}],"customClaims":{}}"#
    let id = try Self.user(.created).id
    #expect(id.hasPrefix("Users-") && id.hasSuffix("-9-2"))
    #expect(
      try text(.created, .gen1)
        == #"{"eventId":"\#(id)","timestamp":"2026-11-22T06:30:00.123Z","eventType":"providers/firebase.auth/eventTypes/user.create","resource":"projects/demo-proj","params":{},"data":\#(user)}"#
    )
    #expect(try text(.deleted, .gen1).contains("eventTypes/user.delete\""))
    let second = user.replacing("creationTime", with: "createTime")
    #expect(
      try text(.created, .cloudEvent)
        == #"{"specversion":"1.0","id":"\#(id)","source":"//firebaseauth.googleapis.com/projects/demo-proj","subject":"users/u1","type":"google.firebase.auth.user.v2.created","time":"2026-11-22T06:30:00.123Z","datacontenttype":"application/json","sequence":"000000000000009000002","data":{"value":\#(second)}}"#
    )
    #expect(try text(.deleted, .cloudEvent).contains(#""type":"google.firebase.auth.user.v2.deleted""#))
    #expect(try text(.deleted, .cloudEvent).hasSuffix(#""data":{"oldValue":\#(second)}}"#))
    #expect(
      try text(.deleted, .webhook)
        == #"{"type":"user.deleted","id":"\#(id)","timestamp":"2026-11-22T06:30:00.123Z","data":{"trigger":"welcome","sequence":"000000000000009000002","user":\#(user)}}"#
    )
  }

  @Test("an event of a tenant's user names the tenant, in every form")
  func tenantBodies() throws {
    var event = try Self.user(.created)
    event.user = .object((event.user.members ?? []) + [.init("tenantId", .string("acme-x1y2z"))])
    for form in EventForm.allCases {
      let text = String(
        decoding: UserEnvelope(event: event, trigger: "welcome", project: "demo-proj").body(form), as: UTF8.self)
      #expect(text.contains(#""tenantId":"acme-x1y2z""#))
      #expect(text.contains(#","tenantid":"acme-x1y2z","data":"#) == (form == .cloudEvent))
    }
  }
}
