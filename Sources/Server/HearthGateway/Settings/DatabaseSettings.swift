import HearthTree

/// The settings of one database by administrators and their tools, beside its data and the rules in force.
struct DatabaseSettings: Sendable {
  /// The default write size limit of requests. Stored for the tools that read it: every size is accepted.
  var defaultWriteSizeLimit = "large"
  /// True when writes that would make too many events, or too large ones, are refused.
  var isTriggerValidationStrict = true
  /// The stored rule sets, the oldest first.
  var rulesets: [Ruleset] = []
  var stableRuleset: String?
  var canaryRuleset: String?
  /// The triggers of functions emulators, as they registered them.
  var functionTriggers: [JSON] = []
  /// The quotas of its clients.
  var quotas = DatabaseQuotas.none

  /// The maximum bytes of all stored rules files together: some dozen of the largest, thousands of common ones.
  static let rulesetBytesMax = 16 << 20
  /// The maximum number of emulator triggers. One function registers one.
  static let triggersMax = 1_000
  /// The maximum bytes of one trigger's description; the usual one has some hundred.
  static let triggerSizeBytesMax = 16 << 10

  init() {}

  func ruleset(_ id: String) -> Ruleset? { rulesets.first { Key($0.id) == Key(id) } }

  /// The staged rules; nil when there are none.
  var staged: Ruleset? { canaryRuleset.flatMap(ruleset) }

  /// Stages rules in place of others.
  mutating func stage(_ ruleset: Ruleset) {
    label(stable: stableRuleset, canary: ruleset.id)
    keep(ruleset)
  }

  /// Sets the labels of the rulesets. Those that were staged by command, and have no label any more, are removed.
  mutating func label(stable: String?, canary: String?) {
    (stableRuleset, canaryRuleset) = (stable, canary)
    let labelled = Set([stable, canary].compactMap { $0.map { Key($0) } })
    rulesets.removeAll { $0.note != nil && !labelled.contains(Key($0.id)) }
  }

  /// Adds a ruleset, and removes the oldest unlabelled ones when they get too large together.
  mutating func keep(_ ruleset: Ruleset) {
    rulesets.append(ruleset)
    var excess = rulesets.reduce(-Self.rulesetBytesMax) { $0 + $1.source.utf8.count }
    let kept = Set([ruleset.id, stableRuleset, canaryRuleset].compactMap { $0.map { Key($0) } })
    rulesets.removeAll { old in
      guard excess > 0, !kept.contains(Key(old.id)) else { return false }
      excess -= old.source.utf8.count
      return true
    }
  }

  /// Adds a trigger, or replaces the one with the same name.
  mutating func register(_ trigger: JSON) throws(RESTFailure) {
    let name = trigger["name"]?.string ?? ""
    if let i = functionTriggers.firstIndex(where: { Key($0["name"]?.string ?? "") == Key(name) }) {
      functionTriggers[i] = trigger
      return
    }
    guard functionTriggers.count < Self.triggersMax else {
      throw RESTFailure(400, "There can be at most \(Self.triggersMax) function triggers.")
    }
    functionTriggers.append(trigger)
  }
}

/// A rules file that is stored by an id.
struct Ruleset: Sendable {
  let id: String
  let createdAtMilliseconds: Int64
  let source: String
  /// The facts of its staging; nil for one that one of Firebase's tools stored.
  var note: JSON?

  /// The ruleset as JSON for responses and files.
  var json: JSON {
    [
      "id": .string(id), "createdAt": .string(Timestamp.text(milliseconds: createdAtMilliseconds)),
      "source": .string(source),
    ]
  }
}

// MARK: As a file

extension DatabaseSettings {
  /// ```json
  /// {"defaultWriteSizeLimit":"large","strictTriggerValidation":true,"functionTriggers":[],
  ///  "rulesets":[{"id":"-O…","createdAtMilliseconds":1700000000000,"source":"{\"rules\":{}}"}],
  ///  "rulesetLabels":{"stable":"-O…"},"quotas":{"connections":100}}
  /// ```
  var text: [UInt8] {
    let labels = [("stable", stableRuleset), ("canary", canaryRuleset)]
    var json: JSON = [
      "defaultWriteSizeLimit": .string(defaultWriteSizeLimit),
      "strictTriggerValidation": .bool(isTriggerValidationStrict), "functionTriggers": .array(functionTriggers),
      "rulesets": .array(rulesets.map(\.stored)),
      "rulesetLabels": .object(labels.compactMap { name, id in id.map { JSON.Member(name, .string($0)) } }),
    ]
    if quotas != .none { json["quotas"] = quotas.json }
    return json.text()
  }

  /// Parses settings; nil for a text that ``text`` does not write.
  init?(parsing bytes: [UInt8]) {
    guard let json = JSON(parsing: bytes), let size = json["defaultWriteSizeLimit"]?.string,
      let isStrict = json["strictTriggerValidation"]?.bool, let triggers = json["functionTriggers"]?.array,
      let stored = json["rulesets"]?.array, let labels = json["rulesetLabels"]
    else { return nil }
    let rulesets = stored.compactMap(Ruleset.init)
    guard rulesets.count == stored.count else { return nil }
    if let kept = json["quotas"] {
      guard let quotas = DatabaseQuotas(stored: kept) else { return nil }
      self.quotas = quotas
    }
    (defaultWriteSizeLimit, isTriggerValidationStrict, functionTriggers) = (size, isStrict, triggers)
    self.rulesets = rulesets
    (stableRuleset, canaryRuleset) = (labels["stable"]?.string, labels["canary"]?.string)
  }
}

extension Ruleset {
  fileprivate var stored: JSON {
    var json: JSON = [
      "id": .string(id), "createdAtMilliseconds": .int(createdAtMilliseconds), "source": .string(source),
    ]
    if let note { json["note"] = note }
    return json
  }

  fileprivate init?(_ json: JSON) {
    guard let id = json["id"]?.string, let milliseconds = json["createdAtMilliseconds"]?.int,
      let source = json["source"]?.string
    else { return nil }
    self.init(id: id, createdAtMilliseconds: milliseconds, source: source, note: json["note"])
  }
}
