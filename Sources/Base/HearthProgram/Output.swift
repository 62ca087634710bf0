@preconcurrency import Glibc
import HearthTree

/// Writes to standard output and standard error, in whole lines and unbuffered, because a script that waits for a line
/// must receive it at once.
package enum Output {
  /// Makes standard output line-buffered: plugins print with the standard library, which would otherwise hold their
  /// lines back until its buffer is full.
  package static func lineBuffer() { setvbuf(stdout, nil, _IOLBF, 0) }

  /// True when standard output may be coloured: it is a terminal, and `NO_COLOR` is not set (https://no-color.org).
  package static var isColored: Bool { isColored(STDOUT_FILENO) }

  /// True when notes on standard error may be coloured: it is a terminal, and `NO_COLOR` is not set.
  package static var isNoteColored: Bool { isColored(STDERR_FILENO) }

  private static func isColored(_ file: Int32) -> Bool { isatty(file) == 1 && getenv("NO_COLOR") == nil }

  /// Writes one line of results to standard output.
  package static func line(_ text: String) { write(Array((text + "\n").utf8), to: STDOUT_FILENO) }

  /// Writes one JSON value on one line.
  package static func json(_ value: JSON) { write(value.text() + [UInt8(ascii: "\n")], to: STDOUT_FILENO) }

  /// Writes a note to standard error, for an operator rather than for a script that reads the results.
  package static func note(_ text: String) { write(Array((text + "\n").utf8), to: STDERR_FILENO) }

  /// Writes the bytes without a line break.
  package static func raw(_ bytes: [UInt8], to file: Int32) { write(bytes, to: file) }

  private static func write(_ bytes: [UInt8], to file: Int32) {
    var rest = bytes[...]
    while !rest.isEmpty {
      let count = rest.withUnsafeBytes { Glibc.write(file, $0.baseAddress, $0.count) }
      if count < 0, errno == EINTR { continue }
      // A closed pipe does not end the program.
      guard count > 0 else { return }
      rest = rest.dropFirst(count)
    }
  }
}
