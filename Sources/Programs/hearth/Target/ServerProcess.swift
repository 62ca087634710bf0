import Glibc
import HearthProgram
import HearthServer

/// The process of the server that has a folder open, as the kernel describes it: proc(5).
struct ServerProcess {
  private let folder: String
  /// The URL at which it is reached on this machine.
  let url: String

  /// Returns the process; nil when no server runs there, or this user may not examine it.
  static func running(on dataDirectory: String) -> ServerProcess? {
    guard let file = ServerFile.read(dataDirectory: dataDirectory), file.processID > 0 else { return nil }
    let process = ServerProcess(folder: "/proc/\(file.processID)", url: file.url)
    // The process id of a crashed server may belong to another program by now.
    return process.program.map { $0.contains("hearth") } == true ? process : nil
  }

  /// The path of its program, with a suffix when the file was replaced.
  private var program: String? {
    var path = [CChar](repeating: 0, count: Int(PATH_MAX) + 16)
    let count = readlink(folder + "/exe", &path, path.count)
    return count > 0 ? String(decoding: path[..<count].map { UInt8(bitPattern: $0) }, as: UTF8.self) : nil
  }

  /// True when its program was replaced since its start.
  var isReplaced: Bool { program?.hasSuffix(" (deleted)") == true }

  /// The maximum number of its open files.
  var openFilesMax: UInt64? {
    let line = (try? TextFile.read(folder + "/limits"))?.split(separator: "\n").first { $0.hasPrefix("Max open files") }
    // `Max open files  1024  524288  files`: the second number is the limit that it can reach.
    let numbers = line?.split(separator: " ").compactMap { UInt64($0) }
    return numbers?.count == 2 ? numbers?[1] : nil
  }

  /// The resident memory in bytes.
  var residentBytes: Int64? {
    let line = (try? TextFile.read(folder + "/status"))?.split(separator: "\n").first { $0.hasPrefix("VmRSS:") }
    return line?.split(whereSeparator: \.isWhitespace).compactMap { Int64($0) }.first.map { $0 << 10 }
  }
}
