import HearthProgram
import HearthTree

/// The parameters of an export's hashes, read from a file: the text that Firebase's console shows, or a JSON object
/// with the same names in any of the spellings of the console, the command line or the interface.
struct HashConfig {
  struct Failure: Error, CustomStringConvertible { var description: String }

  /// The members for the import operation.
  let members: [JSON.Member]

  private enum Kind { case text, number, object }

  /// The interface's name for every spelling, without case, `-` and `_`.
  private static let names: [String: (name: String, kind: Kind)] = [
    "algorithm": ("hashAlgorithm", .text), "hashalgo": ("hashAlgorithm", .text),
    "hashalgorithm": ("hashAlgorithm", .text),
    "base64signerkey": ("signerKey", .text), "signerkey": ("signerKey", .text), "hashkey": ("signerKey", .text),
    "key": ("signerKey", .text),
    "base64saltseparator": ("saltSeparator", .text), "saltseparator": ("saltSeparator", .text),
    "rounds": ("rounds", .number), "memcost": ("memoryCost", .number), "memorycost": ("memoryCost", .number),
    "cpumemcost": ("cpuMemCost", .number), "parallelization": ("parallelization", .number),
    "blocksize": ("blockSize", .number), "dklen": ("dkLen", .number), "derivedkeylength": ("dkLen", .number),
    "hashinputorder": ("passwordHashOrder", .text), "passwordhashorder": ("passwordHashOrder", .text),
    "inputorder": ("passwordHashOrder", .text), "argon2parameters": ("argon2Parameters", .object),
  ]

  init(path: String) throws {
    try self.init(text: try TextFile.read(path), path: path)
  }

  init(text: String, path: String) throws {
    let found: [JSON.Member]
    if let json = JSON(parsing: text.utf8) {
      // The parameters may be the members of the object's only member.
      let inner = json["hash_config"] ?? json["hashConfig"] ?? json
      guard let members = inner.members else { throw Failure(description: "\(path) is not a JSON object") }
      found = members
    } else {
      found = try Self.consoleText(text, path: path)
    }
    members = try found.map { try Self.member($0, path: path) }
    guard members.contains(where: { $0.name == "hashAlgorithm" }) else {
      throw Failure(description: "\(path) has no algorithm, such as \"algorithm\": \"SCRYPT\"")
    }
  }

  private static func member(_ member: JSON.Member, path: String) throws -> JSON.Member {
    let plain = String(member.name.lowercased().filter { $0 != "_" && $0 != "-" })
    guard let (name, kind) = names[plain] else {
      throw Failure(description: "\(path): there is no hash parameter \(TextTable.printable(member.name))")
    }
    switch (kind, member.value) {
    case (.text, .string), (.number, .int), (.object, .object): return JSON.Member(name, member.value)
    case (.number, .string(let text)):
      guard let number = Int64(text) else { break }
      return JSON.Member(name, .int(number))
    default: break
    }
    throw Failure(description: "\(path): \(member.name) must be a \(kind)")
  }

  /// Reads the form `hash_config { algorithm: SCRYPT, … }`, one parameter a line.
  private static func consoleText(_ text: String, path: String) throws -> [JSON.Member] {
    var members: [JSON.Member] = []
    for line in text.split(whereSeparator: \.isNewline) {
      let line = trimmed(line)
      if line.isEmpty || line == "}" || line == "{" || line.hasSuffix("{") { continue }
      guard let colon = line.firstIndex(of: ":") else {
        throw Failure(
          description: "\(path) is neither JSON nor the text of the console's \"Password hash parameters\"")
      }
      var value = trimmed(line[line.index(after: colon)...])
      if value.hasSuffix(",") { value = trimmed(value.dropLast()) }
      if value.count >= 2, value.hasPrefix("\""), value.hasSuffix("\"") { value = value.dropFirst().dropLast() }
      members.append(.init(String(trimmed(line[..<colon])), .string(String(value))))
    }
    return members
  }

  private static func trimmed(_ text: Substring) -> Substring {
    let start = text.drop { $0.isWhitespace }
    guard let last = start.lastIndex(where: { !$0.isWhitespace }) else { return start }
    return start[...last]
  }
}
