import HearthTree
import HearthWire

/// The target of a request's path. The operation of each is in ``RESTHandler``'s list.
enum RESTTarget: Sendable, Equatable {
  case data(Location)
  /// The target `<path>/.upload`: a file of data, from a form.
  case upload(Path)
  /// The target `/.settings/rules.json`.
  case rules
  /// The target `/.settings/rules/versions.json`, and with an id `/.settings/rules/versions/<id>.json`.
  case rulesVersions(id: String?)
  /// The target `/.settings/rules/rollback.json`.
  case rulesRollback
  /// The target `/.settings/rules/decide.json`.
  case rulesDecisions
  /// The target `/.settings/rules/staged.json`.
  case stagedRules
  /// The target `/.settings/rules/promote.json`.
  case rulesPromotion
  /// The target `/.settings/rulesets.json`, and with an id `/.settings/rulesets/<id>.json`.
  case rulesets(id: String?)
  /// The target `/.settings/ruleset_labels.json`.
  case rulesetLabels
  /// The other targets `/.settings/<name>.json`.
  case setting(Setting)
  /// The target `/.settings/triggers.json`, and with a name `/.settings/triggers/<name>.json`, or a part of that.
  case triggers(name: String?, part: TriggerPart?)
  /// The target `/.settings/denials/<trace>.json`.
  case denial(trace: String)
  /// The target `/.settings/history.json`.
  case history
  /// The target `/.settings/databases.json`, and with a name `/.settings/databases/<name>.json`.
  case databaseManagement(name: String?)
  /// The target `/.inspect/databases.json`.
  case databases
  /// The target `/.inspect/coverage`, a page; or `/.inspect/coverage.json`.
  case coverage(isPage: Bool)

  enum Setting: String, Sendable {
    case defaultWriteSizeLimit
    case strictTriggerValidation
    case functionTriggers
  }

  /// A part of a trigger's resource.
  enum TriggerPart: String, Sendable {
    case dead, replay
  }

  /// - Parameter path: the raw path, still percent-encoded, without the query string.
  init(path: some Collection<UInt8>) throws(RESTFailure) {
    // A whole URL, as proxies are sent: its scheme and host are no keys.
    guard path.first == UInt8(ascii: "/") else { throw .invalidPath }
    let suffix = Array(".json".utf8)
    let parts = path.split(separator: UInt8(ascii: "/"))
    guard let last = parts.last else { throw .missingSuffix }
    if parts.count == 2, parts[0].elementsEqual(".inspect".utf8), last.elementsEqual("coverage".utf8) {
      self = .coverage(isPage: true)
      return
    }
    let isUpload = last.elementsEqual(".upload".utf8)
    guard isUpload || last.suffix(suffix.count).elementsEqual(suffix) else {
      throw parts[0].first == UInt8(ascii: ".") ? .notFound : .missingSuffix
    }
    var segments: [String] = []
    for (i, part) in parts.enumerated() {
      let part = i == parts.count - 1 ? part.dropLast(isUpload ? part.count : suffix.count) : part
      guard let segment = PercentEncoding.decodeLeniently(part, plusIsSpace: false) else { throw .invalidPath }
      if !segment.isEmpty { segments.append(segment) }
    }
    if isUpload {
      let location = try Self.location(segments)
      guard !location.isPriority else { throw .invalidPath }
      self = .upload(location.path)
      return
    }
    switch segments.first {
    case ".settings": self = try Self.settings(Array(segments.dropFirst()))
    case ".inspect":
      switch segments.dropFirst() {
      case ["databases"]: self = .databases
      case ["coverage"]: self = .coverage(isPage: false)
      default: throw .notFound
      }
    default:
      self = .data(try Self.location(segments))
    }
  }

  private static func settings(_ names: [String]) throws(RESTFailure) -> RESTTarget {
    switch (names.first, names.count) {
    case ("rules", 1): return .rules
    case ("rules", 2...): return try rules(Array(names.dropFirst()))
    case ("triggers", 1): return .triggers(name: nil, part: nil)
    case ("triggers", 2): return .triggers(name: names[1], part: nil)
    case ("triggers", 3):
      guard let part = TriggerPart(rawValue: names[2]) else { throw .notFound }
      return .triggers(name: names[1], part: part)
    case ("databases", 1): return .databaseManagement(name: nil)
    case ("databases", 2): return .databaseManagement(name: names[1])
    case ("ruleset_labels", 1): return .rulesetLabels
    case ("history", 1): return .history
    case ("rulesets", 1): return .rulesets(id: nil)
    case ("denials", 2): return .denial(trace: names[1])
    case ("rulesets", 2): return .rulesets(id: names[1])
    case (let name?, 1):
      guard let setting = Setting(rawValue: name) else { throw .notFound }
      return .setting(setting)
    default: throw .notFound
    }
  }

  /// Parses the names below `/.settings/rules/`.
  private static func rules(_ names: [String]) throws(RESTFailure) -> RESTTarget {
    switch (names[0], names.count) {
    case ("versions", 1): .rulesVersions(id: nil)
    case ("versions", 2): .rulesVersions(id: names[1])
    case ("rollback", 1): .rulesRollback
    case ("decide", 1): .rulesDecisions
    case ("staged", 1): .stagedRules
    case ("promote", 1): .rulesPromotion
    default: throw .notFound
    }
  }

  /// Parses a location. A slash that was percent-encoded is a forbidden character, not a separator.
  private static func location(_ segments: [String]) throws(RESTFailure) -> Location {
    do {
      return try Location(segments: segments)
    } catch {
      throw .invalidPath
    }
  }
}
