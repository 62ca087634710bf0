import HearthCrypto
import HearthTree

/// A registered trigger: its subject, its target, and its delivery options.
public struct TriggerDefinition: Sendable, Equatable {
  /// The origin of a registration.
  public enum Origin: String, Sendable {
    /// The operator's commands.
    case command = "operator"
    /// A functions emulator, by `/.settings/functionTriggers.json`.
    case emulator
  }

  /// The name of the trigger in commands: letters, digits, `-`, `_` and `.`.
  public var name: String
  /// The changes that cause events.
  public var subject: TriggerSubject
  /// The receiver of events.
  public var target: TriggerTarget
  /// The format of events.
  public var form: EventForm
  /// True to resend an event when its handler failed; otherwise only an event that did not reach the handler is sent
  /// again.
  public var retries = false
  /// The secrets that sign requests by the Standard Webhooks specification; each adds one signature.
  public var secrets: [WebhookSecret] = []
  /// The timeout of a handler, in seconds.
  public var timeoutSeconds = TriggerLimits.timeoutSeconds
  /// The most events in flight.
  public var concurrency = TriggerLimits.concurrency
  /// The time after an event's write in which deliveries are attempted, in seconds.
  public var windowSeconds = TriggerLimits.windowSeconds
  /// The Google Cloud region that events state as their origin.
  public var location = "us-central1"
  /// True when the receiver may be at a private address, and be reached without TLS.
  public var allowsPrivate = false
  /// The reason for a pause; nil while events are sent.
  public var pause: String?
  /// The origin of the registration.
  public var origin = Origin.command

  /// Creates a trigger from its required parts, with defaults for all others.
  ///
  /// - Throws: ``TriggerProblem`` for an invalid name or URL, and for a format that does not suit the subject or the
  ///   target.
  public init(
    name: String, _ subject: TriggerSubject, to target: TriggerTarget, form: EventForm
  ) throws(TriggerProblem) {
    (self.name, self.subject, self.target, self.form) = (name, subject, target, form)
    if form == .gen1 { concurrency = 1 }
    try check()
  }

  /// Checks the limits of all parts.
  ///
  /// - Throws: ``TriggerProblem`` for a value out of its limits.
  func check() throws(TriggerProblem) {
    guard (1...TriggerLimits.nameBytesMax).contains(name.utf8.count), name.utf8.allSatisfy(Self.isNameByte),
      !name.hasPrefix(".")
    else { throw TriggerProblem("a trigger's name can have letters, digits, -, _ and .") }
    try checkTarget()
    if form == .gen1, case .writes(_, let pattern, _) = subject, !pattern.isPlain {
      throw TriggerProblem("the path of a first-generation function can only have keys and {name}")
    }
    guard (1...TriggerLimits.timeoutSecondsMax).contains(timeoutSeconds) else {
      throw TriggerProblem("the timeout must be from 1 to \(TriggerLimits.timeoutSecondsMax) seconds")
    }
    guard (1...TriggerLimits.inFlightMax).contains(concurrency) else {
      throw TriggerProblem("the concurrency must be from 1 to \(TriggerLimits.inFlightMax)")
    }
    guard (1...TriggerLimits.windowSecondsMax).contains(windowSeconds) else {
      throw TriggerProblem("the window must be from 1 to \(TriggerLimits.windowSecondsMax) seconds")
    }
    guard secrets.count <= TriggerLimits.secretsMax else {
      throw TriggerProblem("a trigger can have at most \(TriggerLimits.secretsMax) secrets")
    }
    let isLocation = location.utf8.allSatisfy { Self.isNameByte($0) && $0 != UInt8(ascii: ".") }
    guard (1...64).contains(location.utf8.count), isLocation else {
      throw TriggerProblem("the location must be a name such as us-central1")
    }
  }

  private func checkTarget() throws(TriggerProblem) {
    switch target {
    case .url(let url):
      guard url.utf8.count <= TriggerLimits.urlBytesMax, url.hasPrefix("https://") || url.hasPrefix("http://"),
        url.utf8.allSatisfy({ $0 > 0x20 && $0 < 0x7F })
      else { throw TriggerProblem("the URL must begin with https:// or http://") }
    case .plugin(let plugin):
      guard (1...TriggerLimits.nameBytesMax).contains(plugin.utf8.count), plugin.utf8.allSatisfy(Self.isNameByte)
      else { throw TriggerProblem("a plugin's name can have letters, digits and -") }
      guard !subject.isUsers else { throw TriggerProblem("a plugin can receive events of writes, not of users") }
      guard form == .webhook else { throw TriggerProblem("a plugin can only receive events of the form webhook") }
      guard secrets.isEmpty else {
        throw TriggerProblem("a plugin's trigger cannot have secrets, because its events are not signed")
      }
    }
  }

  private static func isNameByte(_ byte: UInt8) -> Bool {
    switch byte {
    case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "A")...UInt8(ascii: "Z"),
      UInt8(ascii: "0")...UInt8(ascii: "9"), UInt8(ascii: "-"), UInt8(ascii: "_"), UInt8(ascii: "."):
      true
    default: false
    }
  }

  /// The part of this trigger that ``TriggerSet`` needs; nil for a trigger about accounts.
  public var member: TriggerSet.Member? {
    guard case .writes(_, let pattern, let eventType) = subject else { return nil }
    return TriggerSet.Member(name: name, pattern: pattern, kinds: eventType.kinds, wantsValues: form.carriesValues)
  }

  /// Returns true when the trigger is about writes in the database with the given name.
  public func appliesTo(database: String) -> Bool {
    if case .writes(let databases, _, _) = subject { databases.matches(database) } else { false }
  }

  /// Returns true when this registration can send the waiting events of an earlier one with the same name.
  public func continues(_ other: TriggerDefinition) -> Bool {
    subject.isUsers == other.subject.isUsers && (subject.isUsers || form.carriesValues == other.form.carriesValues)
  }

  /// Returns the header fields that identify and sign one request.
  ///
  /// - Parameters:
  ///   - id: The event's ID, which repeated attempts share.
  ///   - seconds: The time of the attempt, since 1970.
  public func headers(id: String, seconds: Int64, body: [UInt8]) -> [(name: String, value: String)] {
    WebhookSecret.headers(secrets, id: id, seconds: seconds, body: body)
  }

  /// The delivery policy.
  public var policy: Delivery.Policy {
    Delivery.Policy(retries: retries, concurrency: concurrency, windowSeconds: windowSeconds)
  }
}

// MARK: JSON

extension TriggerDefinition {
  /// The JSON for administrators, with the number of secrets instead of the secrets.
  public var shown: JSON {
    .object(members + [.init("secrets", .int(Int64(secrets.count)))])
  }

  /// The JSON for storage, with the secrets.
  public var stored: JSON {
    .object(members + [.init("secrets", .array(secrets.map { .string($0.text) }))])
  }

  private var members: [JSON.Member] {
    var members: [JSON.Member] = [.init("name", .string(name))]
    switch subject {
    case .writes(let databases, let pattern, let eventType):
      members += [
        .init("databases", .string(databases.text)),
        .init("path", .string(pattern.text.isEmpty ? "/" : pattern.text)), .init("on", .string(eventType.rawValue)),
      ]
    case .users(let eventType): members.append(.init("user", .string(eventType.rawValue)))
    }
    switch target {
    case .url(let url): members.append(.init("url", .string(url)))
    case .plugin(let plugin): members.append(.init("plugin", .string(plugin)))
    }
    members += [
      .init("form", .string(form.rawValue)), .init("retry", .bool(retries)),
      .init("timeoutSeconds", .int(Int64(timeoutSeconds))), .init("concurrency", .int(Int64(concurrency))),
      .init("windowSeconds", .int(Int64(windowSeconds))), .init("location", .string(location)),
      .init("allowsPrivate", .bool(allowsPrivate)), .init("origin", .string(origin.rawValue)),
    ]
    if let pause { members.append(.init("pause", .string(pause))) }
    return members
  }

  /// Parses the JSON of ``stored``, or of an administrator's request: `name`; `path` and `on`, or `user`; `url` or
  /// `plugin`. All other members are optional.
  ///
  /// - Throws: ``TriggerProblem`` with the defect.
  public init(_ json: JSON) throws(TriggerProblem) {
    func text(_ name: String) throws(TriggerProblem) -> String? {
      switch json[name] {
      case nil, .null?: return nil
      case .string(let text)?: return text
      default: throw TriggerProblem("\(name) must be a string")
      }
    }
    func required(_ name: String) throws(TriggerProblem) -> String {
      guard let text = try text(name) else { throw TriggerProblem("\(name) is missing") }
      return text
    }
    func number(_ name: String) throws(TriggerProblem) -> Int? {
      guard let value = json[name] else { return nil }
      guard let number = value.int.flatMap({ Int(exactly: $0) }) else {
        throw TriggerProblem("\(name) must be a whole number")
      }
      return number
    }
    func flag(_ name: String) throws(TriggerProblem) -> Bool? {
      guard let value = json[name] else { return nil }
      guard let flag = value.bool else { throw TriggerProblem("\(name) must be true or false") }
      return flag
    }
    let subject: TriggerSubject
    if let user = try text("user") {
      guard json["path"] == nil, json["on"] == nil, json["databases"] == nil else {
        throw TriggerProblem("a trigger can have user or a path, not both")
      }
      guard let eventType = UserEventType(rawValue: user) else {
        throw TriggerProblem("user must be created or deleted")
      }
      subject = .users(eventType)
    } else {
      guard let eventType = TriggerEventType(rawValue: try required("on")) else {
        throw TriggerProblem("on must be create, update, delete or write")
      }
      subject = .writes(
        databases: try DatabasePattern(try text("databases") ?? "*"),
        pattern: try TriggerPattern(try required("path")), eventType: eventType)
    }
    let target: TriggerTarget
    if let plugin = try text("plugin") {
      guard json["url"] == nil else { throw TriggerProblem("a trigger can have url or plugin, not both") }
      target = .plugin(plugin)
    } else {
      target = .url(try required("url"))
    }
    let usual = target.url == nil ? EventForm.webhook : .cloudEvent
    guard let form = EventForm(rawValue: try text("form") ?? usual.rawValue) else {
      throw TriggerProblem("form must be cloudevent, gen1 or webhook")
    }
    try self.init(name: try required("name"), subject, to: target, form: form)
    retries = try flag("retry") ?? retries
    timeoutSeconds = try number("timeoutSeconds") ?? timeoutSeconds
    concurrency = try number("concurrency") ?? concurrency
    windowSeconds = try number("windowSeconds") ?? windowSeconds
    location = try text("location") ?? location
    allowsPrivate = try flag("allowsPrivate") ?? allowsPrivate
    pause = try text("pause")
    origin = Origin(rawValue: try text("origin") ?? "") ?? .command
    for secret in json["secrets"]?.array ?? [] {
      guard let text = secret.string else { throw TriggerProblem("secrets must be strings") }
      do throws(WebhookSecretError) { secrets.append(try WebhookSecret(text)) } catch {
        throw TriggerProblem(error.description)
      }
    }
    try check()
  }
}
