import HearthTree

/// The validation of a data export's JSON text: finds values that cannot be stored, or would be stored differently.
///
/// The text may arrive in pieces; memory holds one value of it, and the names of the enclosing objects. Unlike a write,
/// which ends at the first mistake, the check continues after each. Only text that is no JSON ends it.
package struct ExportCheck: Sendable {
  /// The statistics of an export.
  package struct Figures: Sendable, Equatable {
    /// The number of stored values: texts, numbers, booleans.
    package var leafCount = 0
    /// The number of bytes read.
    package var sizeBytes = 0
    /// The maximum number of keys above a value.
    package var depth = 0
  }

  /// The maximum number of names of one object that are checked for duplicates.
  package static let comparedNamesMax = 100_000
  /// The limit up to which a too long text is read, to report its length.
  package static let readStringBytesMax = 64 << 20

  /// The maximum length of a key in a finding, in characters.
  private static let shownKeyCountMax = 200

  /// An open container around the current value.
  private struct Frame {
    var isArray: Bool
    /// The key of the container.
    var key: String
    var index = 0
    /// True for metadata and refused values, whose content is skipped.
    var isOpaque = false
    var hasChildren = false
    var hasValue = false
    var isEmpty = true
    var names: Set<Int> = []
  }

  /// The meaning of the last name for the value that follows it.
  private enum Meaning: Equatable {
    case child
    case value
    case priority
    case serverValue
    case nothing
  }

  private let file: String
  private let limits: JSONLimits
  private var stream: JSONStream
  private var frames: [Frame] = []
  private var name: (start: Int, end: Int) = (0, 0)
  private var meaning = Meaning.child
  /// The findings so far.
  package private(set) var findings = MigrationFindings()
  /// The statistics so far.
  package private(set) var figures = Figures()

  /// - Parameters:
  ///   - file: The file's name in findings.
  ///   - limits: The limits on stored data.
  package init(file: String, limits: JSONLimits = .standard) {
    self.file = file
    self.limits = limits
    var readable = limits
    readable.stringSizeBytesMax = max(limits.stringSizeBytesMax, Self.readStringBytesMax)
    readable.keySizeBytesMax = max(limits.keySizeBytesMax, Self.readStringBytesMax)
    stream = JSONStream(limits: readable)
  }

  /// Reads the next bytes of the text, and checks all complete values.
  ///
  /// - Throws: when the text is no JSON; the text after that is not checked.
  package mutating func append(_ piece: some Collection<UInt8>) throws(JSONError) {
    stream.append(piece)
    try readOn()
  }

  /// Ends the text.
  ///
  /// - Throws: when it is incomplete.
  package mutating func finish() throws(JSONError) {
    stream.finish()
    try readOn()
  }

  /// Returns the line and column of a thrown error.
  package func place(of error: JSONError) -> String { place(error.offset) }

  private mutating func readOn() throws(JSONError) {
    while let token = try stream.next() { take(token) }
    figures.sizeBytes = stream.offset
  }

  private mutating func take(_ token: JSONStream.Token) {
    switch token.kind {
    case .name:
      // The name is needed for this check and for findings about its value, and is discarded with the value.
      name = (token.start, token.end)
      takeName(token)
      return
    case .beginObject, .beginArray: open(token)
    case .endObject, .endArray: close(token)
    case .string, .number, .bool, .null: takeLeaf(token)
    }
    stream.discard(before: token.end)
  }

  // MARK: Names

  private mutating func takeName(_ token: JSONStream.Token) {
    guard let last = frames.indices.last, !frames[last].isOpaque else { return }
    meaning = .child
    let raw = stream.text(token.start + 1, token.end - 1)
    if raw.first == UInt8(ascii: ".") || raw.first == UInt8(ascii: "\\") {
      switch text(token.start, token.end) {
      case ".value": meaning = .value
      case ".priority": meaning = .priority
      case ".sv": meaning = .serverValue
      case let text where text.hasPrefix("."):
        meaning = .nothing
        report(.refused, token, "unknown name that begins with a dot")
      default: break
      }
    }
    switch meaning {
    case .child:
      frames[last].hasChildren = true
      if let problem = problem(inKey: raw, token) {
        meaning = .nothing
        report(.refused, token, problem)
      }
    case .value, .serverValue: frames[last].hasValue = true
    case .priority, .nothing: break
    }
    if frames[last].hasValue, frames[last].hasChildren, meaning == .child || meaning == .value {
      meaning = .nothing
      report(.refused, token, "a path has a value or children, not both")
    }
    noteRepeated(raw, token)
  }

  private func problem(inKey raw: ArraySlice<UInt8>, _ token: JSONStream.Token) -> String? {
    // Most names have no escapes and no forbidden characters.
    let isPlain = raw.allSatisfy { $0 > 0x5D || ($0 >= 0x30 && $0 < 0x5B) || $0 == UInt8(ascii: "-") }
    if isPlain, (1...limits.keySizeBytesMax).contains(raw.count), !raw.contains(0x7F) { return nil }
    return switch Key(text(token.start, token.end)).problem {
    case nil: nil
    case .emptyKey: "a key cannot be empty"
    case .keyTooLong: "a key of \(raw.count) bytes; the maximum is \(limits.keySizeBytesMax)"
    case .forbiddenCharacter: "a key must not contain . $ # [ ] / or control characters"
    case .tooDeep: "more than \(limits.depthMax) keys from the root"
    }
  }

  private mutating func noteRepeated(_ raw: ArraySlice<UInt8>, _ token: JSONStream.Token) {
    let last = frames.count - 1
    guard frames[last].names.count < Self.comparedNamesMax else { return }
    var hasher = Hasher()
    raw.withUnsafeBytes { hasher.combine(bytes: $0) }
    if !frames[last].names.insert(hasher.finalize()).inserted {
      report(.different, token, "the name appears twice; only the last value is kept")
    }
  }

  // MARK: Values

  private mutating func open(_ token: JSONStream.Token) {
    let isOpaque = beginValue(token)
    let isArray = token.kind == .beginArray
    frames.append(Frame(isArray: isArray, key: frames.isEmpty ? "" : key(), isOpaque: isOpaque))
  }

  /// Counts a child and returns true when it is skipped.
  private mutating func beginValue(_ token: JSONStream.Token) -> Bool {
    guard let last = frames.indices.last else { return false }
    frames[last].isEmpty = false
    guard !frames[last].isOpaque else { return true }
    if frames[last].isArray { meaning = .child }
    switch meaning {
    case .child:
      guard frames.count == limits.depthMax + 1 else { return frames.count > limits.depthMax }
      report(.refused, token, "more than \(limits.depthMax) keys from the root")
      return true
    case .value, .priority:
      if token.kind == .beginObject || token.kind == .beginArray {
        report(.refused, token, "\(meaning == .value ? ".value" : ".priority") must not be an object or an array")
      }
    case .serverValue:
      report(.different, token, "the server fills in this value at the time of the import")
    case .nothing: break
    }
    return true
  }

  private mutating func close(_ token: JSONStream.Token) {
    let frame = frames.removeLast()
    if !frame.isOpaque, frame.isEmpty {
      report(
        .note, token, "an empty \(frame.isArray ? "array" : "object") is not stored", at: frame.key)
    }
    endValue()
  }

  private mutating func takeLeaf(_ token: JSONStream.Token) {
    let isSkipped = beginValue(token)
    let isMetadata = meaning == .value && frames.last.map { !$0.isOpaque } == true
    if !isSkipped || isMetadata { check(token) }
    if meaning == .priority, frames.last.map({ !$0.isOpaque }) == true, token.kind == .bool {
      report(.refused, token, "a priority must be a number or a string")
    }
    endValue()
  }

  private mutating func check(_ token: JSONStream.Token) {
    switch token.kind {
    case .null:
      if frames.last?.isArray == false { report(.note, token, "null is not stored") }
      return
    case .string:
      let size = token.end - token.start - 2
      // Escapes are longer than their characters: only a text above the limit is resolved.
      if size > limits.stringSizeBytesMax, text(token.start, token.end).utf8.count > limits.stringSizeBytesMax {
        report(.refused, token, "a string of about \(size) bytes; the maximum is \(limits.stringSizeBytesMax)")
        return
      }
    case .number:
      let raw = stream.text(token.start, token.end)
      let isWhole = raw.allSatisfy { $0 == UInt8(ascii: "-") || (0x30...0x39).contains($0) }
      if isWhole, raw.count > 18, Int64(String(decoding: raw, as: UTF8.self)) == nil {
        report(.different, token, "a whole number of more than 64 bits is kept as the nearest floating-point number")
      }
    default: break
    }
    figures.leafCount += 1
    let isBelowName = meaning == .child && !frames.isEmpty
    figures.depth = max(figures.depth, frames.count - (isBelowName || frames.isEmpty ? 0 : 1))
  }

  private mutating func endValue() {
    meaning = .child
    guard let last = frames.indices.last else { return }
    if frames[last].isArray { frames[last].index += 1 }
  }

  // MARK: Places

  /// Returns the key of the current value.
  private func key() -> String {
    guard let frame = frames.last else { return "" }
    return frame.isArray ? String(frame.index) : text(name.start, name.end)
  }

  private mutating func report(
    _ kind: MigrationFinding.Kind, _ token: JSONStream.Token, _ text: String, at key: String? = nil
  ) {
    // Findings above the limit are only counted, because their place is expensive.
    guard findings.count(kind) < MigrationFindings.keptMax else {
      return findings.add(MigrationFinding(kind, place: "", subject: "", text))
    }
    let keys = frames.isEmpty ? [] : frames.dropFirst().map(\.key) + [key ?? self.key()]
    let subject = "/" + keys.map { String($0.prefix(Self.shownKeyCountMax)) }.joined(separator: "/")
    findings.add(MigrationFinding(kind, place: place(token.start), subject: subject, text))
  }

  private func place(_ offset: Int) -> String {
    let (line, column) = stream.place(of: offset)
    return "\(file):\(line):\(column)"
  }

  /// Returns a name or text with its escapes resolved.
  private func text(_ start: Int, _ end: Int) -> String {
    JSON(parsing: stream.text(start, end))?.string ?? String(decoding: stream.text(start + 1, end - 1), as: UTF8.self)
  }
}
