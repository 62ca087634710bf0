import HearthTree

/// The format in which an event is sent.
public enum EventForm: String, Sendable, CaseIterable {
  /// A structured CloudEvent: for Cloud Functions of the second generation, and all functions in Python.
  case cloudEvent = "cloudevent"
  /// The flat JSON for Cloud Functions of the first generation.
  case gen1
  /// A JSON object for any other receiver.
  case webhook

  /// The content type of the body.
  public var contentType: String {
    switch self {
    case .cloudEvent: "application/cloudevents+json; charset=utf-8"
    case .gen1, .webhook: "application/json"
    }
  }

  /// True when an event contains both whole values instead of a difference.
  public var carriesValues: Bool { self == .webhook }
}

/// One event with all parts of its body.
public struct EventEnvelope: Sendable {
  /// The parts of an event that come from its trigger's registration.
  public struct Address: Sendable {
    /// The trigger's name.
    public var trigger: String
    /// The kind of change that the trigger waits for.
    public var eventType: TriggerEventType
    /// The trigger's pattern.
    public var pattern: TriggerPattern
    /// The database's name.
    public var database: String
    /// The Google Cloud region that events state as their origin.
    public var location: String
    /// The host at which the client libraries in handlers reach the database.
    public var host: String

    /// Creates an address.
    public init(
      trigger: String, eventType: TriggerEventType, pattern: TriggerPattern, database: String, location: String,
      host: String
    ) {
      (self.trigger, self.eventType, self.pattern, self.database) = (trigger, eventType, pattern, database)
      (self.location, self.host) = (location, host)
    }
  }

  /// The event's ID.
  public var id: String
  /// The event's number in the order of its database's events; nil leaves it out.
  public var sequence: String?
  /// The event itself.
  public var event: TriggerEvent
  /// The parts that come from the trigger's registration.
  public var address: Address

  /// Creates an event for one registration.
  public init(id: String, sequence: String?, event: TriggerEvent, address: Address) {
    (self.id, self.sequence, self.event, self.address) = (id, sequence, event, address)
  }

  /// Returns the body in the given format; nil when the values are too large for it.
  public func body(_ form: EventForm) -> [UInt8]? {
    switch (form, event.payload) {
    case (.cloudEvent, .text(let payload)): cloudEvent(payload)
    case (.gen1, .text(let payload)): gen1(payload)
    case (.webhook, .text(let payload)): webhook(payload)
    case (.webhook, .reference): webhook(nil)
    case (.cloudEvent, .reference), (.gen1, .reference): nil
    }
  }

  // MARK: Functions of the second generation

  private func cloudEvent(_ payload: [UInt8]) -> [UInt8] {
    var object = JSONObjectWriter()
    object.add("specversion", "1.0")
    object.add("id", id)
    object.add(
      "source",
      "//firebasedatabase.googleapis.com/projects/_/locations/\(address.location)/instances/\(address.database)")
    object.add("subject", "refs/" + event.ref)
    object.add("type", "google.firebase.database.ref.v1." + address.eventType.cloudEventName)
    object.add("time", EventTime.text(milliseconds: event.milliseconds))
    object.add("datacontenttype", "application/json")
    object.add("instance", address.database)
    object.add("ref", event.ref)
    object.add("location", address.location)
    object.add("firebasedatabasehost", address.host)
    if let sequence { object.add("sequence", sequence) }
    switch event.author {
    case .administrator: object.add("authtype", "admin")
    case .user:
      object.add("authtype", "app_user")
      if let uid = event.author.uid { object.add("authid", uid) }
    case .signedOut: object.add("authtype", "unauthenticated")
    }
    object.add("data", raw: payload)
    return object.closed()
  }

  // MARK: Functions of the first generation

  private func gen1(_ payload: [UInt8]) -> [UInt8] {
    var object = JSONObjectWriter()
    object.add("eventId", id)
    object.add("timestamp", EventTime.text(milliseconds: event.milliseconds))
    object.add("eventType", "providers/google.firebase.database/eventTypes/ref." + address.eventType.rawValue)
    object.add("resource", "projects/_/instances/\(address.database)/refs/\(event.ref)")
    object.add("domain", address.host)
    object.add("params", raw: parameters)
    var auth = JSONObjectWriter()
    switch event.author {
    case .administrator: auth.add("admin", raw: Array("true".utf8))
    case .user(let variable):
      auth.add("admin", raw: Array("false".utf8))
      auth.add("variable", raw: variable)
    case .signedOut: auth.add("admin", raw: Array("false".utf8))
    }
    object.add("auth", raw: auth.closed())
    object.add("data", raw: payload)
    return object.closed()
  }

  // MARK: Other receivers

  /// Returns
  /// `{"type":…,"id":…,"timestamp":…,"data":{"trigger":…,"database":…,"path":…,"params":…,"author":…,"sequence":…,"values":…}}`,
  /// with `"values":{"before":…,"after":…}`, or `"values":null` and `"isTooLarge":true`.
  private func webhook(_ payload: [UInt8]?) -> [UInt8] {
    var data = JSONObjectWriter()
    data.add("trigger", address.trigger)
    data.add("database", address.database)
    data.add("path", "/" + event.ref)
    data.add("params", raw: parameters)
    var author = JSONObjectWriter()
    switch event.author {
    case .administrator: author.add("type", "admin")
    case .user(let auth):
      author.add("type", "user")
      if let uid = event.author.uid { author.add("uid", uid) }
      author.add("auth", raw: auth)
    case .signedOut: author.add("type", "unauthenticated")
    }
    data.add("author", raw: author.closed())
    if let sequence { data.add("sequence", sequence) }
    data.add("values", raw: payload ?? Array("null".utf8))
    if payload == nil { data.add("isTooLarge", raw: Array("true".utf8)) }
    var object = JSONObjectWriter()
    object.add("type", "database.\(event.kind)")
    object.add("id", id)
    object.add("timestamp", EventTime.text(milliseconds: event.milliseconds))
    object.add("data", raw: data.closed())
    return object.closed()
  }

  private var parameters: [UInt8] {
    var object = JSONObjectWriter()
    for (name, value) in address.pattern.parameters(of: Path(event.ref)) ?? [] { object.add(name, value) }
    return object.closed()
  }
}
