import HearthTree

#if canImport(Glibc)
  import Glibc
#elseif canImport(Musl)
  import Musl
#elseif canImport(Darwin)
  import Darwin
#endif

/// A reader of an object of the configuration, whose errors name the place. Every plugin reads its settings with it.
///
///     let settings = try SettingsReader(settings.values, at: "signIn.example", names: ["url", "retries"])
///     let url = try settings.requiredText("url")
///     let retries = try settings.int("retries", in: 0...10) ?? 3
///
/// Members are read one by one, in any order. A member of another kind than requested is an error; an absent one is
/// nil, so that the plugin uses its default. A reader prints none of its values.
public struct SettingsReader: Sendable {
  /// The object's place: `signIn.oauth.google`.
  public let place: String
  private let value: JSON

  /// - Parameters:
  ///   - value: the object.
  ///   - place: where it stands in the configuration; errors begin with it.
  ///   - names: the members that there may be. Any other is an error: it is a typing error or meant for another plugin,
  ///     and either way has not the effect that the operator expects.
  /// - Throws: ``SettingsError`` when the value is no object, or has a member that is not known or is there twice.
  public init(_ value: JSON, at place: String, names: [String]) throws(SettingsError) {
    guard let members = value.members else { throw SettingsError(place, "must be an object") }
    self.value = value
    self.place = place
    var seen: Set<String> = []
    for member in members {
      guard names.contains(member.name) else {
        let known = names.isEmpty ? "there are no settings" : "the settings are \(names.joined(separator: ", "))"
        throw SettingsError("\(place).\(member.name)", "is not a known setting; \(known)")
      }
      guard seen.insert(member.name).inserted else { throw SettingsError("\(place).\(member.name)", "occurs twice") }
    }
  }

  /// Returns the member; nil when it is absent or null.
  public func json(_ name: String) -> JSON? {
    guard let value = value[name], value != .null else { return nil }
    return value
  }

  /// Returns an error about one member, for a value that the reader accepts and the plugin cannot use.
  ///
  /// - Parameters:
  ///   - name: the member's.
  ///   - message: the rest of a sentence that begins with the place: `must be 64 hexadecimal digits`.
  public func error(_ name: String, _ message: String) -> SettingsError { SettingsError("\(place).\(name)", message) }

  /// Returns a text that is not empty; nil when it is absent or null.
  public func text(_ name: String) throws(SettingsError) -> String? {
    guard let value = json(name) else { return nil }
    guard let text = value.string, !text.isEmpty else { throw error(name, "must be a non-empty string") }
    return text
  }

  /// Returns a text that is not empty; an error when it is absent.
  public func requiredText(_ name: String) throws(SettingsError) -> String {
    guard let text = try text(name) else { throw error(name, "is missing") }
    return text
  }

  /// Returns `true` or `false`; nil when it is absent or null.
  public func bool(_ name: String) throws(SettingsError) -> Bool? {
    guard let value = json(name) else { return nil }
    guard let bool = value.bool else { throw error(name, "must be true or false") }
    return bool
  }

  /// Returns a whole number in the range, its ends included; nil when it is absent or null.
  public func int(_ name: String, in range: ClosedRange<Int>) throws(SettingsError) -> Int? {
    guard let value = json(name) else { return nil }
    guard let int = value.int.flatMap({ Int(exactly: $0) }), range.contains(int) else {
      throw error(name, "must be a whole number from \(range.lowerBound) to \(range.upperBound)")
    }
    return int
  }

  /// Returns a list of texts; one text counts as a list of one. Nil when it is absent.
  public func texts(_ name: String) throws(SettingsError) -> [String]? {
    guard let value = json(name) else { return nil }
    let elements = value.array ?? [value]
    let texts = elements.compactMap(\.string)
    guard texts.count == elements.count, !texts.contains("") else {
      throw error(name, "must be a list of non-empty strings")
    }
    return texts
  }

  /// Returns an object with these members; nil when it is absent or null.
  public func object(_ name: String, names: [String]) throws(SettingsError) -> SettingsReader? {
    guard let value = json(name) else { return nil }
    return try SettingsReader(value, at: "\(place).\(name)", names: names)
  }

  /// Returns a list of objects with these members; empty when it is absent or null.
  public func objects(_ name: String, names: [String]) throws(SettingsError) -> [SettingsReader] {
    guard let value = json(name) else { return [] }
    guard let elements = value.array else { throw error(name, "must be a list") }
    var objects: [SettingsReader] = []
    for (i, element) in elements.enumerated() {
      objects.append(try SettingsReader(element, at: "\(place).\(name)[\(i)]", names: names))
    }
    return objects
  }

  /// Returns a secret: the text itself under `name`, or the first line of the file that `nameFile` names, which keeps
  /// it out of the configuration. Nil when both are absent.
  public func secret(_ name: String) throws(SettingsError) -> String? {
    let (direct, file) = (try text(name), try text(name + "File"))
    guard let file else { return direct }
    guard direct == nil else { throw error(name, "cannot be combined with \(name)File") }
    guard let bytes = Self.read(file), let line = bytes.split(separator: UInt8(ascii: "\n")).first,
      let secret = String(validating: line, as: UTF8.self)
    else { throw error(name + "File", "cannot be read, or is empty") }
    let trimmed = secret.hasSuffix("\r") ? String(secret.dropLast()) : secret
    guard !trimmed.isEmpty else { throw error(name + "File", "cannot be read, or is empty") }
    return trimmed
  }

  /// Returns the secret as ``secret(_:)`` does; an error when neither member is there.
  public func requiredSecret(_ name: String) throws(SettingsError) -> String {
    guard let secret = try secret(name) else { throw error(name, "is missing; give it, or a file in \(name)File") }
    return secret
  }

  /// Returns the content of the file that a member names, such as a key in PEM; nil when the member is absent.
  public func file(_ name: String) throws(SettingsError) -> [UInt8]? {
    guard let path = try text(name) else { return nil }
    guard let bytes = Self.read(path), !bytes.isEmpty else { throw error(name, "cannot be read, or is empty") }
    return bytes
  }

  /// Reads the first 64 KiB of a file.
  private static func read(_ path: String) -> [UInt8]? {
    let file = open(path, O_RDONLY | O_CLOEXEC)
    guard file >= 0 else { return nil }
    defer { close(file) }
    var bytes = [UInt8](repeating: 0, count: 65_536)
    var count = 0
    while count < bytes.count {
      let more = bytes.withUnsafeMutableBytes { buffer in
        Glibc.read(file, buffer.baseAddress?.advanced(by: count), buffer.count - count)
      }
      if more < 0 && errno == EINTR { continue }
      guard more >= 0 else { return nil }
      if more == 0 { break }
      count += more
    }
    return Array(bytes.prefix(count))
  }
}
