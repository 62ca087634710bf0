import Dispatch
import Synchronization

#if canImport(Glibc)
  import Glibc
#elseif canImport(Musl)
  import Musl
#elseif canImport(Darwin)
  import Darwin
#endif

/// The process's standard input.
enum StandardInput {
  /// Returns the lines of the input, without their ends, until it is closed. To be called once.
  static var lines: AsyncStream<String> {
    AsyncStream { lines in
      // A thread of its own, because the read blocks; Swift's pool of threads must not.
      DispatchQueue(label: "hearth.plugin.input").async {
        while let line = readLine() { lines.yield(line) }
        lines.finish()
      }
    }
  }
}

/// The process's standard output, reserved for messages from then on: printed text goes to standard error.
final class StandardOutput: Sendable {
  private let descriptor: Mutex<Int32>

  init() {
    descriptor = Mutex(fcntl(STDOUT_FILENO, F_DUPFD_CLOEXEC, 3))
    dup2(STDERR_FILENO, STDOUT_FILENO)
    // The end of the server is noticed at the end of input.
    signal(SIGPIPE, SIG_IGN)
  }

  /// Writes all bytes, without other writes in between.
  func write(_ bytes: [UInt8]) {
    descriptor.withLock { descriptor in
      var rest = bytes[...]
      while !rest.isEmpty {
        let count = rest.withUnsafeBytes { writeBytes(descriptor, $0.baseAddress, $0.count) }
        if count < 0, errno == EINTR { continue }
        guard count > 0 else { return }
        rest = rest.dropFirst(count)
      }
    }
  }
}

/// Calls the system's `write`, which the methods of that name here would hide.
private func writeBytes(_ descriptor: Int32, _ bytes: UnsafeRawPointer?, _ count: Int) -> Int {
  write(descriptor, bytes, count)
}
