import HearthCrypto
import HearthTree

/// A trigger as it is registered: which writes it is about, and where and how their events are sent.
public struct TriggerDefinition: Sendable, Equatable {
  /// Who registered it.
  public enum Origin: String, Sendable {
    /// The operator.
    case command = "operator"
    /// An emulator of functions, by `/.settings/functionTriggers.json`.
    case emulator
  }

  /// The name that commands know it by: letters, digits, `-`, `_` and `.`.
  public var name: String
  /// In which databases.
  public var databases: DatabasePattern
  /// At which places.
  public var pattern: TriggerPattern
  /// What happens there.
  public var moment: TriggerMoment
  /// Where events are sent by `POST`.
  public var url: String
  /// In which form.
  public var form: EventForm
  /// An event whose handler failed is sent again; without it only one that did not reach the handler.
  public var retries = false
  /// What requests are signed with, by the Standard Webhooks scheme: one signature each.
  public var secrets: [WebhookSecret] = []
  /// How long a handler may take.
  public var timeoutSeconds = TriggerLimits.timeoutSeconds
  /// How many events are under way at most.
  public var concurrency = TriggerLimits.concurrency
  /// How long an event is tried.
  public var windowSeconds = TriggerLimits.windowSeconds
  /// The region that events are said to come from.
  public var location = "us-central1"
  /// The receiver may be at a private address, and be reached without TLS.
  public var allowsPrivate = false
  /// Why nothing is sent; nil when events are sent.
  public var pause: String?
  /// Who registered it.
  public var origin = Origin.command

  /// A trigger with what it must say; the rest is as usual.
  ///
  /// - Throws: ``TriggerProblem`` for a name or a URL that cannot be one, and a pattern that its form does not know.
  public init(
    name: String, databases: DatabasePattern, pattern: TriggerPattern, moment: TriggerMoment, url: String,
    form: EventForm
  ) throws(TriggerProblem) {
    (self.name, self.databases, self.pattern) = (name, databases, pattern)
    (self.moment, self.url, self.form) = (moment, url, form)
    if form == .gen1 { concurrency = 1 }
    try check()
  }

  /// - Throws: ``TriggerProblem`` when something is out of its bounds.
  func check() throws(TriggerProblem) {
    guard (1...TriggerLimits.nameBytesMax).contains(name.utf8.count), name.utf8.allSatisfy(Self.isNameByte),
      !name.hasPrefix(".")
    else { throw TriggerProblem("a trigger's name has letters, digits, -, _ and .") }
    guard url.utf8.count <= TriggerLimits.urlBytesMax, url.hasPrefix("https://") || url.hasPrefix("http://"),
      url.utf8.allSatisfy({ $0 > 0x20 && $0 < 0x7F })
    else { throw TriggerProblem("the URL must begin with https:// or http://") }
    if form == .gen1, !pattern.isPlain {
      throw TriggerProblem("functions of the first generation know only keys and {name} in a path")
    }
    guard (1...TriggerLimits.timeoutSecondsMax).contains(timeoutSeconds) else {
      throw TriggerProblem("the timeout is from 1 to \(TriggerLimits.timeoutSecondsMax) seconds")
    }
    guard (1...TriggerLimits.inFlightMax).contains(concurrency) else {
      throw TriggerProblem("the concurrency is from 1 to \(TriggerLimits.inFlightMax)")
    }
    guard (1...TriggerLimits.windowSecondsMax).contains(windowSeconds) else {
      throw TriggerProblem("the window is from 1 to \(TriggerLimits.windowSecondsMax) seconds")
    }
    guard secrets.count <= TriggerLimits.secretsMax else {
      throw TriggerProblem("a trigger has at most \(TriggerLimits.secretsMax) secrets")
    }
    let isLocation = location.utf8.allSatisfy { Self.isNameByte($0) && $0 != UInt8(ascii: ".") }
    guard (1...64).contains(location.utf8.count), isLocation else {
      throw TriggerProblem("the location is a name such as us-central1")
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

  /// What a set of triggers knows of it.
  public var member: TriggerSet.Member {
    TriggerSet.Member(name: name, pattern: pattern, kinds: moment.kinds, wantsValues: form.carriesValues)
  }

  /// The header fields that name and sign one request.
  ///
  /// - Parameters:
  ///   - id: the event's, also when it is sent again.
  ///   - seconds: the time of the attempt, since 1970.
  public func headers(id: String, seconds: Int64, body: [UInt8]) -> [(name: String, value: String)] {
    WebhookSecret.headers(secrets, id: id, seconds: seconds, body: body)
  }

  /// What its deliveries go by.
  public var policy: Delivery.Policy {
    Delivery.Policy(retries: retries, concurrency: concurrency, windowSeconds: windowSeconds)
  }
}

// MARK: As JSON

extension TriggerDefinition {
  /// As administrators are shown it: whether it has secrets, and none of them.
  public var shown: JSON {
    .object(members + [.init("secrets", .int(Int64(secrets.count)))])
  }

  /// As it is kept, with its secrets.
  public var stored: JSON {
    .object(members + [.init("secrets", .array(secrets.map { .string($0.text) }))])
  }

  private var members: [JSON.Member] {
    var members: [JSON.Member] = [
      .init("name", .string(name)), .init("databases", .string(databases.text)),
      .init("path", .string(pattern.text.isEmpty ? "/" : pattern.text)), .init("on", .string(moment.rawValue)),
      .init("url", .string(url)), .init("form", .string(form.rawValue)), .init("retry", .bool(retries)),
      .init("timeoutSeconds", .int(Int64(timeoutSeconds))), .init("concurrency", .int(Int64(concurrency))),
      .init("windowSeconds", .int(Int64(windowSeconds))), .init("location", .string(location)),
      .init("allowsPrivate", .bool(allowsPrivate)), .init("origin", .string(origin.rawValue)),
    ]
    if let pause { members.append(.init("pause", .string(pause))) }
    return members
  }

  /// Reads what ``stored`` gives, or what an administrator sends: all but `name`, `path`, `on` and `url` may be missing.
  ///
  /// - Throws: ``TriggerProblem`` that says what is wrong.
  public init(_ json: JSON) throws(TriggerProblem) {
    func text(_ name: String) throws(TriggerProblem) -> String? {
      switch json[name] {
      case nil, .null?: return nil
      case .string(let text)?: return text
      default: throw TriggerProblem("\(name) must be a text")
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
    guard let moment = TriggerMoment(rawValue: try required("on")) else {
      throw TriggerProblem("on must be one of create, update, delete and write")
    }
    guard let form = EventForm(rawValue: try text("form") ?? EventForm.cloudEvent.rawValue) else {
      throw TriggerProblem("form must be one of cloudevent, gen1 and webhook")
    }
    try self.init(
      name: try required("name"), databases: try DatabasePattern(try text("databases") ?? "*"),
      pattern: try TriggerPattern(try required("path")), moment: moment, url: try required("url"), form: form)
    retries = try flag("retry") ?? retries
    timeoutSeconds = try number("timeoutSeconds") ?? timeoutSeconds
    concurrency = try number("concurrency") ?? concurrency
    windowSeconds = try number("windowSeconds") ?? windowSeconds
    location = try text("location") ?? location
    allowsPrivate = try flag("allowsPrivate") ?? allowsPrivate
    pause = try text("pause")
    origin = Origin(rawValue: try text("origin") ?? "") ?? .command
    for secret in json["secrets"]?.array ?? [] {
      guard let text = secret.string else { throw TriggerProblem("secrets must be texts") }
      do throws(WebhookSecretError) { secrets.append(try WebhookSecret(text)) } catch {
        throw TriggerProblem(error.description)
      }
    }
    try check()
  }
}
