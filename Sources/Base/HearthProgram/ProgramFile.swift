import Glibc

/// The executable files of Hearth's programs, which are built and installed in the same folder and find each other
/// there.
package enum ProgramFile {
  /// The file of the running program; nil when the system does not report it.
  package static var own: String? {
    var path = [CChar](repeating: 0, count: Int(PATH_MAX))
    let count = readlink("/proc/self/exe", &path, path.count - 1)
    return count > 0 ? String(decoding: path[..<count].map { UInt8(bitPattern: $0) }, as: UTF8.self) : nil
  }

  /// Returns the path of a program in the running program's folder.
  ///
  /// - Throws: ``TextFile/Failure`` when there is no such executable; it states how to build it.
  package static func sibling(_ name: String) throws -> String {
    guard let own, let slash = own.lastIndex(of: "/") else {
      throw TextFile.Failure("cannot find the program's file, next to which \(name) should be")
    }
    let path = own[...slash] + name
    guard access(String(path), X_OK) == 0 else {
      throw TextFile.Failure(
        "\(name) is missing next to \(own): build it with `make build-bench`, or copy it there")
    }
    return String(path)
  }
}
