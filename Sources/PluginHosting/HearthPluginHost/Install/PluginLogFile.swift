import Glibc
import HearthSystem
import Synchronization

/// A plugin's log: its standard error and its supervisor's events, in a file that is rotated when it is full.
package final class PluginLogFile: Sendable {
  /// The maximum size of the file in bytes; one rotated file is kept as well.
  static let bytesMax = 1 << 20
  /// The maximum number of bytes that are read to find the last lines.
  private static let readBytesMax = 2 * bytesMax + (64 << 10)

  private let folder: String
  private let descriptor = Mutex<Int32>(-1)

  private static let name = "log"

  init(folder: String) { self.folder = folder }

  deinit { descriptor.withLock { if $0 >= 0 { close($0) } } }

  /// Appends a line; it is lost when the disk is full.
  func write(_ text: String) {
    let line = Array("\(Self.time(Clock.wallMilliseconds)) \(text)\n".utf8)
    let path = "\(folder)/\(Self.name)"
    descriptor.withLock { descriptor in
      if descriptor < 0 {
        descriptor = open(path, O_WRONLY | O_CREAT | O_APPEND | O_CLOEXEC | O_NOFOLLOW, 0o600)
      }
      guard descriptor >= 0 else { return }
      _ = Glibc.write(descriptor, line, line.count)
      var status = stat()
      guard fstat(descriptor, &status) == 0, status.st_size > Self.bytesMax else { return }
      close(descriptor)
      descriptor = -1
      rename(path, path + ".1")
    }
  }

  /// Returns the last lines, the oldest first.
  package static func lines(of plugin: String, in folder: PluginFolder, count: Int) -> [String] {
    var bytes: [UInt8] = []
    for name in [Self.name + ".1", Self.name] {
      let file = AtomicFile(folder: folder.folder(of: plugin), name: name)
      bytes += (try? file.read(bytesMax: readBytesMax)) ?? []
    }
    return bytes.split(separator: UInt8(ascii: "\n")).suffix(count).map { LogLines.printable($0) }
  }

  /// Returns a time of the form `2026-11-23T06:00:00Z`.
  private static func time(_ milliseconds: Int64) -> String {
    var seconds = time_t(milliseconds / 1_000)
    var parts = tm()
    gmtime_r(&seconds, &parts)
    var text = [UInt8](repeating: 0, count: 32)
    let count = text.withUnsafeMutableBytes { buffer in
      buffer.withMemoryRebound(to: CChar.self) { buffer -> Int in
        guard let start = buffer.baseAddress else { return 0 }
        return strftime(start, buffer.count, "%Y-%m-%dT%H:%M:%SZ", &parts)
      }
    }
    return String(decoding: text[..<count], as: UTF8.self)
  }
}
