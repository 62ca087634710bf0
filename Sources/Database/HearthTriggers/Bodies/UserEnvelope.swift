import HearthTree

/// An event of an account with all parts of its body. As in Firebase, it has no author.
public struct UserEnvelope: Sendable {
  /// The event itself.
  public var event: UserEvent
  /// The name of the trigger.
  public var trigger: String
  /// The ID of the project that the accounts belong to.
  public var project: String

  /// Creates an event for one trigger.
  public init(event: UserEvent, trigger: String, project: String) {
    (self.event, self.trigger, self.project) = (event, trigger, project)
  }

  /// Returns the body in the given format.
  public func body(_ form: EventForm) -> [UInt8] {
    switch form {
    case .cloudEvent: cloudEvent
    case .gen1: gen1
    case .webhook: webhook
    }
  }

  private var time: String { EventTime.text(milliseconds: event.milliseconds) }

  /// The body for functions of the second generation: the account under `value`, or under `oldValue` when it was
  /// deleted.
  private var cloudEvent: [UInt8] {
    var data = JSONObjectWriter()
    data.add(event.eventType == .created ? "value" : "oldValue", raw: Self.secondGeneration(event.user).text())
    var object = JSONObjectWriter()
    object.add("specversion", "1.0")
    object.add("id", event.id)
    object.add("source", "//firebaseauth.googleapis.com/projects/\(project)")
    object.add("subject", "users/\(event.uid)")
    object.add("type", "google.firebase.auth.user.v2.\(event.eventType.rawValue)")
    object.add("time", time)
    object.add("datacontenttype", "application/json")
    object.add("sequence", event.sequence)
    if let tenant = event.user["tenantId"]?.string { object.add("tenantid", tenant) }
    object.add("data", raw: data.closed())
    return object.closed()
  }

  /// Returns the account with its creation time under the name that functions of the second generation expect.
  private static func secondGeneration(_ user: JSON) -> JSON {
    .object(
      (user.members ?? []).map { member in
        guard member.name == "metadata", let times = member.value.members else { return member }
        return .init(
          "metadata", .object(times.map { .init($0.name == "creationTime" ? "createTime" : $0.name, $0.value) }))
      })
  }

  private var gen1: [UInt8] {
    var object = JSONObjectWriter()
    object.add("eventId", event.id)
    object.add("timestamp", time)
    object.add("eventType", "providers/firebase.auth/eventTypes/user." + event.eventType.legacyName)
    object.add("resource", "projects/\(project)")
    object.add("params", raw: Array("{}".utf8))
    object.add("data", raw: event.user.text())
    return object.closed()
  }

  /// The body `{"type":"user.created","id":…,"timestamp":…,"data":{"trigger":…,"sequence":…,"user":…}}`.
  private var webhook: [UInt8] {
    var data = JSONObjectWriter()
    data.add("trigger", trigger)
    data.add("sequence", event.sequence)
    data.add("user", raw: event.user.text())
    var object = JSONObjectWriter()
    object.add("type", "user.\(event.eventType.rawValue)")
    object.add("id", event.id)
    object.add("timestamp", time)
    object.add("data", raw: data.closed())
    return object.closed()
  }
}
