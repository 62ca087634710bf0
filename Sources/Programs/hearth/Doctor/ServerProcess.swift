import Glibc
import HearthProgram
import HearthServer

/// The process of the server that has a folder open, as the kernel describes it: proc(5).
struct ServerProcess {
  private let folder: String

  /// Nil when no server runs there, or none that this user may look at.
  static func running(on dataDirectory: String) -> ServerProcess? {
    guard let file = ServerFile.read(dataDirectory: dataDirectory), file.processID > 0 else { return nil }
    let process = ServerProcess(folder: "/proc/\(file.processID)")
    // The number of a server that crashed may be another program's by now.
    return process.program.map { $0.contains("hearth") } == true ? process : nil
  }

  /// The file of its program; a note stands behind it when there is another one now.
  private var program: String? {
    var path = [CChar](repeating: 0, count: Int(PATH_MAX) + 16)
    let count = readlink(folder + "/exe", &path, path.count)
    return count > 0 ? String(decoding: path[..<count].map { UInt8(bitPattern: $0) }, as: UTF8.self) : nil
  }

  /// Its program was replaced since it was started.
  var isReplaced: Bool { program?.hasSuffix(" (deleted)") == true }

  /// Files that it may have open.
  var openFilesMax: UInt64? {
    let line = (try? TextFile.read(folder + "/limits"))?.split(separator: "\n").first { $0.hasPrefix("Max open files") }
    // `Max open files  1024  524288  files`: the second number is the one that it can have.
    let numbers = line?.split(separator: " ").compactMap { UInt64($0) }
    return numbers?.count == 2 ? numbers?[1] : nil
  }

  /// What of it is in memory.
  var residentBytes: Int64? {
    let line = (try? TextFile.read(folder + "/status"))?.split(separator: "\n").first { $0.hasPrefix("VmRSS:") }
    return line?.split(whereSeparator: \.isWhitespace).compactMap { Int64($0) }.first.map { $0 << 10 }
  }
}
