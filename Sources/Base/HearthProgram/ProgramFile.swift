import Glibc

/// The files of our own programs. They are built and installed into one folder, and find each other there.
package enum ProgramFile {
  /// The file of the running program; nil where the system does not tell.
  package static var own: String? {
    var path = [CChar](repeating: 0, count: Int(PATH_MAX))
    let count = readlink("/proc/self/exe", &path, path.count - 1)
    return count > 0 ? String(decoding: path[..<count].map { UInt8(bitPattern: $0) }, as: UTF8.self) : nil
  }

  /// The program of that name in the running program's folder.
  ///
  /// - Throws: ``TextFile/Failure`` when there is none that may be run; it says how to build it.
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
