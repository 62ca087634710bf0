import Glibc

/// The user of this process.
enum UserName {
  /// The name of the system's user, or the number when there is no name.
  static var own: String { name(of: getuid()) }

  /// Returns the name of a user, or the number when there is no name.
  static func name(of id: uid_t) -> String {
    var entry = passwd()
    var found: UnsafeMutablePointer<passwd>?
    var buffer = [CChar](repeating: 0, count: 16 << 10)
    guard getpwuid_r(id, &entry, &buffer, buffer.count, &found) == 0, found != nil, let name = entry.pw_name else {
      return "uid \(id)"
    }
    return String(cString: name)
  }
}
