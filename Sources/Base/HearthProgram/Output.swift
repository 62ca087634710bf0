@preconcurrency import Glibc
import HearthTree

/// Standard output and standard error by whole lines, at once: what a script waits for must not sit in a buffer.
package enum Output {
  /// Plugins print with the standard library, which would keep their lines until its buffer is full.
  package static func lineBuffer() { setvbuf(stdout, nil, _IOLBF, 0) }

  /// What goes to standard output may be coloured: a person reads it at a terminal, and `NO_COLOR` is not set
  /// (https://no-color.org).
  package static var isColored: Bool { isColored(STDOUT_FILENO) }

  /// The same of a note.
  package static var isNoteColored: Bool { isColored(STDERR_FILENO) }

  private static func isColored(_ file: Int32) -> Bool { isatty(file) == 1 && getenv("NO_COLOR") == nil }

  /// One line for whoever reads the results.
  package static func line(_ text: String) { write(Array((text + "\n").utf8), to: STDOUT_FILENO) }

  /// One JSON value on one line.
  package static func json(_ value: JSON) { write(value.text() + [UInt8(ascii: "\n")], to: STDOUT_FILENO) }

  /// What a person should know and a script should not have to skip.
  package static func note(_ text: String) { write(Array((text + "\n").utf8), to: STDERR_FILENO) }

  /// These bytes and nothing else.
  package static func raw(_ bytes: [UInt8], to file: Int32) { write(bytes, to: file) }

  private static func write(_ bytes: [UInt8], to file: Int32) {
    var rest = bytes[...]
    while !rest.isEmpty {
      let count = rest.withUnsafeBytes { Glibc.write(file, $0.baseAddress, $0.count) }
      if count < 0, errno == EINTR { continue }
      // A reader that went away is no reason to stop serving.
      guard count > 0 else { return }
      rest = rest.dropFirst(count)
    }
  }
}
