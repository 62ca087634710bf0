import Glibc

/// Standard output by whole lines, at once: what a script waits for must not sit in a buffer.
enum Output {
  static func line(_ text: String) {
    var rest = Array((text + "\n").utf8)[...]
    while !rest.isEmpty {
      let count = rest.withUnsafeBytes { write(STDOUT_FILENO, $0.baseAddress, $0.count) }
      if count < 0, errno == EINTR { continue }
      // A reader that went away is no reason to stop serving.
      guard count > 0 else { return }
      rest = rest.dropFirst(count)
    }
  }
}
