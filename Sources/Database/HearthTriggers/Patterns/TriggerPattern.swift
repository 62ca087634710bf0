import HearthTree

/// The locations of a trigger: `/rooms/{room}/messages/{message}`.
///
/// | step | matches | captured as |
/// |---|---|---|
/// | `rooms` | that key | – |
/// | `{name}`, `{name=*}` | any key | `name` |
/// | `*` | any key | – |
/// | `pre*`, `*post`, `pre*post` | keys of that form | – |
/// | `{name=**}`, `**` | any number of keys, including none; at most once in a pattern, and not at its end | `name`, with `/` between |
///
/// Keys are compared byte for byte. Leading, trailing and doubled slashes are ignored.
public struct TriggerPattern: Sendable, Equatable {
  enum Step: Sendable, Equatable {
    case literal(Key)
    case key(name: String?)
    case affixes(prefix: [UInt8], suffix: [UInt8])
    case keys(name: String?)
  }

  let steps: [Step]

  /// The original pattern, with one slash before each step; empty for the root.
  public let text: String

  /// Parses a pattern.
  ///
  /// - Throws: ``TriggerProblem`` with the defect.
  public init(_ text: String) throws(TriggerProblem) {
    guard text.utf8.count <= TriggerLimits.patternBytesMax else { throw TriggerProblem("the path is too long") }
    let parts = text.split(separator: "/")
    guard parts.count <= TriggerLimits.patternStepsMax else {
      throw TriggerProblem("the path has more than \(TriggerLimits.patternStepsMax) steps")
    }
    if text.dropFirst().dropLast().contains("//") { throw TriggerProblem("the path has an empty step") }
    var (steps, names): ([Step], Set<String>) = ([], [])
    for part in parts {
      let (step, name) = try Self.step(String(part))
      if let name, !names.insert(name).inserted { throw TriggerProblem("the path has {\(name)} twice") }
      steps.append(step)
    }
    let spans = steps.filter { if case .keys = $0 { true } else { false } }.count
    guard spans <= 1 else { throw TriggerProblem("the path has ** twice") }
    if case .keys? = steps.last {
      throw TriggerProblem("a path cannot end with **, which would send an event for every location below it")
    }
    self.steps = steps
    self.text = parts.map { "/" + $0 }.joined()
  }

  private static func step(_ part: String) throws(TriggerProblem) -> (Step, name: String?) {
    if part.hasPrefix("{"), part.hasSuffix("}") {
      let inner = part.dropFirst().dropLast()
      let halves = inner.split(separator: "=", maxSplits: 1, omittingEmptySubsequences: false)
      let name = String(halves[0])
      guard !name.isEmpty, name.utf8.allSatisfy(isNameByte) else {
        throw TriggerProblem("\(part) is not a parameter: its name can have letters, digits and _")
      }
      switch halves.count == 1 ? "*" : halves[1] {
      case "*": return (.key(name: name), name)
      case "**": return (.keys(name: name), name)
      default: throw TriggerProblem("\(part) is not a parameter: * or ** must follow =")
      }
    }
    if part.contains("{") || part.contains("}") {
      throw TriggerProblem("\(part): a parameter must be a whole step of the path")
    }
    if part == "*" { return (.key(name: nil), nil) }
    if part == "**" { return (.keys(name: nil), nil) }
    let pieces = part.split(separator: "*", omittingEmptySubsequences: false)
    guard pieces.count <= 2 else { throw TriggerProblem("\(part): a step can have one *") }
    guard pieces.allSatisfy({ $0.isEmpty || Key(String($0)).problem == nil }) else {
      throw TriggerProblem("\(part) is not a valid key: . $ # [ ] and control characters are not allowed")
    }
    if pieces.count == 2 { return (.affixes(prefix: Array(pieces[0].utf8), suffix: Array(pieces[1].utf8)), nil) }
    return (.literal(Key(part)), nil)
  }

  private static func isNameByte(_ byte: UInt8) -> Bool {
    switch byte {
    case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "A")...UInt8(ascii: "Z"),
      UInt8(ascii: "0")...UInt8(ascii: "9"), UInt8(ascii: "_"):
      true
    default: false
    }
  }

  /// True when every step is valid for the first generation of functions: a literal key, or `{name}`.
  public var isPlain: Bool {
    steps.allSatisfy { step in
      switch step {
      case .literal, .key(name: .some): true
      default: false
      }
    }
  }

  // MARK: Matching, key by key

  /// The match state before the first key: a bit set in which bit n means that n steps can have matched.
  var start: UInt64 { widened(1) }

  /// Returns the match state after one more key; 0 when no location below can match.
  func advanced(_ places: UInt64, by key: Key) -> UInt64 {
    var next: UInt64 = 0
    for (i, step) in steps.enumerated() where places & 1 << UInt64(i) != 0 {
      switch step {
      case .literal(let own): if own == key { next |= 1 << UInt64(i + 1) }
      case .key: next |= 1 << UInt64(i + 1)
      case .affixes(let prefix, let suffix):
        let text = key.text.utf8
        if text.count >= prefix.count + suffix.count, text.starts(with: prefix),
          text.suffix(suffix.count).elementsEqual(suffix)
        {
          next |= 1 << UInt64(i + 1)
        }
      case .keys: next |= 1 << UInt64(i)
      }
    }
    return widened(next)
  }

  /// Returns true when the keys so far are a complete match.
  func accepts(_ places: UInt64) -> Bool { places & 1 << UInt64(steps.count) != 0 }

  /// Returns true when further keys can lead to a match.
  func canContinue(_ places: UInt64) -> Bool { places & (1 << UInt64(steps.count) - 1) != 0 }

  /// Returns the match state extended by steps that may match no keys.
  private func widened(_ places: UInt64) -> UInt64 {
    var places = places
    for (i, step) in steps.enumerated() where places & 1 << UInt64(i) != 0 {
      if case .keys = step { places |= 1 << UInt64(i + 1) }
    }
    return places
  }

  /// Returns true when the path matches.
  public func matches(_ path: Path) -> Bool {
    var places = start
    for key in path.keys {
      places = advanced(places, by: key)
      if places == 0 { return false }
    }
    return accepts(places)
  }

  /// Returns the values of the parameters in a matching path, in the order of the pattern, or nil when it does not
  /// match.
  public func parameters(of path: Path) -> [(name: String, value: String)]? {
    guard matches(path) else { return nil }
    var (found, i): ([(name: String, value: String)], Int) = ([], 0)
    for step in steps {
      switch step {
      case .literal, .affixes, .key(name: nil): i += 1
      case .key(let name?):
        found.append((name, path.keys[i].text))
        i += 1
      case .keys(let name):
        // Every step other than `**` takes one key.
        let count = path.count - (steps.count - 1)
        if let name { found.append((name, path.keys[i..<i + count].map(\.text).joined(separator: "/"))) }
        i += count
      }
    }
    return found
  }
}

/// An error for an invalid registration of a trigger, with a message for the caller.
public struct TriggerProblem: Error, Sendable, Equatable, CustomStringConvertible {
  public let description: String

  /// Creates the error from a sentence without a full stop.
  public init(_ description: String) { self.description = description }
}
