import HearthTree

/// The validation of an app's arguments, with the error messages of the SDKs for Apple systems.
///
/// The limits on depth and path length are those of the server, which the SDKs do not check.
enum Validation {
  private static let forbiddenInPath: Set<UInt8> = Set(".#$[]".utf8)
  /// The maximum size of a whole path in UTF-8, with the slashes between its keys.
  static let pathSizeBytesMax = 768
  /// The key that only the client writes to.
  static let infoKey: Key = ".info"

  /// Validates a path below a location.
  static func path(_ text: String, from function: String) throws(DatabaseArgumentError) -> Path {
    guard isPath(text) else { throw pathError(function) }
    let path = Path(text)
    for key in path.keys where key.text.utf8.count > DataLimits.keySizeBytesMax {
      throw keyTooLong(key.text.utf8.count, function)
    }
    return path
  }

  /// Validates a path from the root, which may begin with `.info`.
  static func rootPath(_ text: String, from function: String) throws(DatabaseArgumentError) -> Path {
    let parts = text.utf8.split(separator: UInt8(ascii: "/"), maxSplits: 1)
    guard let first = parts.first, first.elementsEqual(infoKey.text.utf8) else {
      return try path(text, from: function)
    }
    guard parts.count > 1 else { return Path([infoKey]) }
    let rest = String(Substring(parts[1]))
    return Path([infoKey] + (rest.isEmpty ? [] : try path(rest, from: function).keys))
  }

  /// Validates a single key.
  static func key(_ text: String, from function: String) throws(DatabaseArgumentError) -> Key {
    guard isKey(text) else {
      throw DatabaseArgumentError(
        .key, "(\(function)) Must be a non-empty string and not contain '/' '.' '#' '$' '[' or ']'")
    }
    return Key(text)
  }

  /// Checks that an app may write to the path.
  static func writable(_ path: Path, from function: String) throws(DatabaseArgumentError) {
    if path.keys.first == infoKey {
      throw DatabaseArgumentError(
        .writablePath, "(\(function)) failed to path \(path): Can't modify data under .info")
    }
    try size(path, from: function)
  }

  /// Checks the server's limits on depth and length.
  static func size(_ path: Path, from function: String) throws(DatabaseArgumentError) {
    if path.count > DataLimits.depthMax { throw tooDeep(path, function) }
    let size = path.keys.reduce(max(0, path.count - 1)) { $0 + $1.text.utf8.count }
    if size > pathSizeBytesMax { throw keyTooLong(size, function) }
  }

  static func tooDeep(_ path: Path, _ function: String) -> DatabaseArgumentError {
    DatabaseArgumentError(
      .data,
      "(\(function)) Path exceeds the maximum depth that can be written (\(DataLimits.depthMax)) or the object contains "
        + "a cycle at path: \(text(path.keys))")
  }

  private static func keyTooLong(_ size: Int, _ function: String) -> DatabaseArgumentError {
    DatabaseArgumentError(.data, "(\(function)) Has a key path longer than \(pathSizeBytesMax) bytes (\(size))")
  }

  private static func pathError(_ function: String) -> DatabaseArgumentError {
    DatabaseArgumentError(.path, "(\(function)) Must be a non-empty string and not contain '.' '#' '$' '[' or ']'")
  }

  private static func isPath(_ text: String) -> Bool {
    !text.isEmpty && text.utf8.allSatisfy { !forbiddenInPath.contains($0) && $0 >= 0x20 && $0 != 0x7F }
  }

  /// Returns true when the key is valid for data.
  static func isKey(_ text: String) -> Bool { isPath(text) && !text.utf8.contains(UInt8(ascii: "/")) }

  /// Returns the path inside a value for messages: keys joined by dots, at most fifty.
  static func text(_ keys: [Key]) -> String { keys.prefix(50).map(\.text).joined(separator: ".") }
}
