import HearthBytes
import HearthPlugin
import HearthTree

/// An object of the server's own configuration file, read member by member: each replaces a default. Unknown members
/// are refused, with the name of the most similar setting.
///
/// Plugins read their part of the file with ``SettingsReader``, which belongs to the plugin API: they declare their
/// members before they read, and get nil for absent ones.
struct ConfigurationObject {
  let location: String
  private let members: [JSON.Member]
  private var known: [String] = []

  init(_ value: JSON, at location: String) throws(SettingsError) {
    guard let members = value.members else { throw SettingsError(location, "must be an object: { … }") }
    var names: Set<String> = []
    for member in members where !names.insert(member.name).inserted {
      throw SettingsError(Self.location(of: member.name, in: location), "occurs twice; keep one")
    }
    self.location = location
    self.members = members
  }

  mutating func value(_ name: String) -> JSON? {
    known.append(name)
    return members.first { $0.name == name }?.value
  }

  mutating func object(_ name: String) throws(SettingsError) -> ConfigurationObject? {
    guard let value = value(name) else { return nil }
    return try ConfigurationObject(value, at: location(of: name))
  }

  mutating func read(_ name: String, into target: inout Bool) throws(SettingsError) {
    guard let value = value(name) else { return }
    guard let bool = value.bool else { throw wrong(name, "must be true or false") }
    target = bool
  }

  /// - Parameter why: the reason for the range, which the error repeats.
  mutating func read<Number: FixedWidthInteger>(
    _ name: String, into target: inout Number, _ range: ClosedRange<Int64>, why: String? = nil
  ) throws(SettingsError) {
    guard let value = value(name) else { return }
    guard let number = value.int, range.contains(number), let exact = Number(exactly: number) else {
      let reason = why.map { ": \($0)" } ?? ""
      throw wrong(name, "must be a whole number from \(range.lowerBound) to \(range.upperBound)\(reason)")
    }
    target = exact
  }

  /// Reads a number as ``read(_:into:_:why:)`` does; `null` stands for "no limit" or "derive it".
  mutating func read<Number: FixedWidthInteger>(
    _ name: String, into target: inout Number?, _ range: ClosedRange<Int64>
  ) throws(SettingsError) {
    guard let value = value(name) else { return }
    if case .null = value {
      target = nil
      return
    }
    var number: Number = 0
    try read(name, into: &number, range)
    target = number
  }

  /// A text without control characters, 1 to 1,000 bytes.
  mutating func read(_ name: String, into target: inout String) throws(SettingsError) {
    guard let value = value(name) else { return }
    guard let text = value.string, Self.isPlain(text) else {
      throw wrong(name, "must be a string of 1 to 1000 bytes without line breaks")
    }
    target = text
  }

  mutating func texts(_ name: String) throws(SettingsError) -> [String]? {
    guard let value = value(name) else { return nil }
    guard let elements = value.array else { throw wrong(name, "must be an array of strings: [\"…\"]") }
    var texts: [String] = []
    for (index, element) in elements.enumerated() {
      guard let text = element.string, Self.isPlain(text) else {
        throw wrong("\(name)[\(index)]", "must be a string of 1 to 1000 bytes without line breaks")
      }
      texts.append(text)
    }
    return texts
  }

  /// Returns the objects of an array. Errors name each object by its index.
  mutating func objects(_ name: String) throws(SettingsError) -> [ConfigurationObject]? {
    guard let value = value(name) else { return nil }
    guard let elements = value.array else { throw wrong(name, "must be an array of objects: [{ … }]") }
    var objects: [ConfigurationObject] = []
    for (index, element) in elements.enumerated() {
      objects.append(try ConfigurationObject(element, at: location(of: "\(name)[\(index)]")))
    }
    return objects
  }

  /// The members that were not read by name so far.
  func others() -> [JSON.Member] { members.filter { !known.contains($0.name) } }

  /// Refuses members that were not read, naming the most similar setting.
  func end() throws(SettingsError) {
    guard let other = others().first else { return }
    throw unknown(other.name)
  }

  func unknown(_ name: String) -> SettingsError {
    let guess = Suggestion.nearest(name, among: known.sorted())
    let rest = guess.map { "did you mean \($0)?" } ?? "the settings are \(known.sorted().joined(separator: ", "))"
    return wrong(name, "is not a known setting; \(rest)")
  }

  func wrong(_ name: String, _ message: String) -> SettingsError {
    SettingsError(location(of: name), message)
  }

  func location(of name: String) -> String { Self.location(of: name, in: location) }

  private static func location(of name: String, in location: String) -> String {
    let shown = String(name.unicodeScalars.prefix(64).map { (0x20..<0x7F).contains($0.value) ? Character($0) : "?" })
    return location.isEmpty ? shown : "\(location).\(shown)"
  }

  private static func isPlain(_ text: String) -> Bool {
    (1...1_000).contains(text.utf8.count) && text.unicodeScalars.allSatisfy { $0.value >= 0x20 && $0.value != 0x7F }
  }
}
