import HearthTree

/// A reader of YAML text as values with their offsets. It accepts one document, only texts as names, and no tags; plain
/// scalars are interpreted by YAML 1.2 (`yes` and `on` are texts).
struct YAMLDocument {
  private let document: DocumentText
  private let events: YAMLEvents
  private var anchors: [String: LocatedValue] = [:]
  private var count = 0

  static func read(_ document: DocumentText) throws(DocumentProblem) -> LocatedValue {
    var reading = YAMLDocument(document)
    return try reading.root()
  }

  private init(_ document: DocumentText) {
    self.document = document
    events = YAMLEvents(document.text)
  }

  private mutating func root() throws(DocumentProblem) -> LocatedValue {
    var root: LocatedValue?
    while true {
      let event = try next()
      switch event.form {
      case .streamEnd:
        guard let root else { throw document.problem("The file is empty.", at: event.place) }
        return root
      case .boundary(let isDocumentStart):
        guard !isDocumentStart || root == nil else {
          throw document.problem(
            "The file has a second document.", help: "Move it to a separate file.", at: event.place)
        }
      default: root = try value(event, level: 0)
      }
    }
  }

  private func next() throws(DocumentProblem) -> YAMLEvents.Event {
    do throws(YAMLEvents.Problem) { return try events.next() } catch {
      throw document.problem(error.message, at: error.place)
    }
  }

  private mutating func value(_ event: YAMLEvents.Event, level: Int) throws(DocumentProblem) -> LocatedValue {
    if event.hasTag {
      throw document.problem(
        "Tags are not supported.", help: "Put quotes around a string that looks like a number.", at: event.place)
    }
    if case .alias(let name) = event.form { return try alias(name, at: event.place, level: level) }
    try add(1, at: event.place)
    let value: LocatedValue
    switch event.form {
    case .scalar(let text, let isPlain): value = try scalar(text, isPlain: isPlain, at: event.place)
    case .sequenceStart: value = LocatedValue(.array(try elements(level + 1, event.place)), at: event.place)
    default: value = LocatedValue(.object(try members(level + 1, event.place)), at: event.place)
    }
    if let anchor = event.anchor { anchors[anchor] = value }
    return value
  }

  /// Returns the value of an alias, which is shared and counted again for each alias.
  private mutating func alias(_ name: String, at place: TextOffset, level: Int) throws(DocumentProblem) -> LocatedValue
  {
    guard let value = anchors[name] else {
      throw document.problem("No anchor '&\(name)' is defined above.", at: place)
    }
    try add(value.size, at: place)
    guard level + value.depth <= WorkbenchLimits.nestingMax else { throw tooDeep(place) }
    return LocatedValue(value.form, at: place)
  }

  private mutating func add(_ values: Int, at place: TextOffset) throws(DocumentProblem) {
    count += values
    guard count <= WorkbenchLimits.valuesMax else {
      throw document.problem(
        "More than \(WorkbenchLimits.valuesMax) values.", help: "Each alias counts the values that it refers to.",
        at: place)
    }
  }

  private func tooDeep(_ place: TextOffset) -> DocumentProblem {
    document.problem("More than \(WorkbenchLimits.nestingMax) levels of objects and lists.", at: place)
  }

  private mutating func elements(_ level: Int, _ place: TextOffset) throws(DocumentProblem) -> [LocatedValue] {
    guard level <= WorkbenchLimits.nestingMax else { throw tooDeep(place) }
    var elements: [LocatedValue] = []
    while true {
      let event = try next()
      if case .sequenceEnd = event.form { return elements }
      elements.append(try value(event, level: level))
    }
  }

  private mutating func members(_ level: Int, _ place: TextOffset) throws(DocumentProblem) -> [LocatedValue.Member] {
    guard level <= WorkbenchLimits.nestingMax else { throw tooDeep(place) }
    var members: [LocatedValue.Member] = []
    var names: Set<Key> = []
    while true {
      let event = try next()
      if case .mappingEnd = event.form { return members }
      guard case .scalar(let name, let isPlain) = event.form, !event.hasTag else {
        throw document.problem("A name must be a string.", at: event.place)
      }
      guard name != "<<" || !isPlain else {
        throw document.problem("'<<' does not merge objects here.", help: "Write the members out.", at: event.place)
      }
      guard names.insert(Key(name)).inserted else {
        throw document.problem("'\(name)' occurs twice in one object.", at: event.place)
      }
      members.append(LocatedValue.Member(name: name, place: event.place, value: try value(next(), level: level)))
    }
  }

  // MARK: Scalars

  private func scalar(_ text: String, isPlain: Bool, at place: TextOffset) throws(DocumentProblem) -> LocatedValue {
    guard isPlain else { return LocatedValue(.string(text), at: place) }
    switch text {
    case "", "~", "null", "Null", "NULL": return LocatedValue(.null, at: place)
    case "true", "True", "TRUE": return LocatedValue(.bool(true), at: place)
    case "false", "False", "FALSE": return LocatedValue(.bool(false), at: place)
    default: return LocatedValue(try number(text, at: place) ?? .string(text), at: place)
    }
  }

  /// Returns the number that a text represents; nil for any other text.
  private func number(_ text: String, at place: TextOffset) throws(DocumentProblem) -> LocatedValue.Form? {
    guard let first = text.utf8.first, first < 0x3A, text.utf8.count <= DataLimits.numberSizeBytesMax else {
      return nil
    }
    if text.hasPrefix("0x") { return Int64(text.dropFirst(2), radix: 16).map { .int($0) } }
    if text.hasPrefix("0o") { return Int64(text.dropFirst(2), radix: 8).map { .int($0) } }
    if text.lowercased().hasSuffix(".inf") || text.lowercased() == ".nan" {
      throw document.problem("Data can only have finite numbers.", help: "Put quotes around a string.", at: place)
    }
    guard Self.isDecimal(text) else { return nil }
    if let value = Int64(text) { return .int(value) }
    guard let value = Double(text), value.isFinite else {
      throw document.problem(
        "The number is out of the range of a double.", help: "Put quotes around a string.", at: place)
    }
    return .double(value)
  }

  /// Returns true for a text of the form `[-+]? ( \. [0-9]+ | [0-9]+ ( \. [0-9]* )? ) ( [eE] [-+]? [0-9]+ )?`.
  private static func isDecimal(_ text: String) -> Bool {
    var rest = text.utf8[...]
    func digits() -> Int {
      let count = rest.prefix { (0x30...0x39).contains($0) }.count
      rest = rest.dropFirst(count)
      return count
    }
    func take(_ characters: StaticString) -> Bool {
      guard let byte = rest.first, characters.description.utf8.contains(byte) else { return false }
      rest = rest.dropFirst()
      return true
    }
    _ = take("+-")
    let whole = digits()
    if take(".") {
      guard digits() + whole > 0 else { return false }
    } else {
      guard whole > 0 else { return false }
    }
    if take("eE") {
      _ = take("+-")
      guard digits() > 0 else { return false }
    }
    return rest.isEmpty
  }
}
