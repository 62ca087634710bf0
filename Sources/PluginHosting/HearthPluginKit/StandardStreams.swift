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
  /// Its lines, without their ends, until it is closed. To be asked for once.
  static var lines: AsyncStream<String> {
    AsyncStream { lines in
      // A thread of its own, which waits in the read: Swift's tasks keep theirs.
      DispatchQueue(label: "hearth.plugin.input").async {
        while let line = readLine() { lines.yield(line) }
        lines.finish()
      }
    }
  }
}

/// The process's standard output, which nothing else can write to from then on: what is printed goes to standard error.
final class StandardOutput: Sendable {
  private let descriptor: Mutex<Int32>

  init() {
    descriptor = Mutex(fcntl(STDOUT_FILENO, F_DUPFD_CLOEXEC, 3))
    dup2(STDERR_FILENO, STDOUT_FILENO)
    // A server that is gone is noticed at the end of input.
    signal(SIGPIPE, SIG_IGN)
  }

  /// Writes all of it, and nothing of others in between.
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

/// The system's `write`, which the method of the same name hides.
private func writeBytes(_ descriptor: Int32, _ bytes: UnsafeRawPointer?, _ count: Int) -> Int {
  write(descriptor, bytes, count)
}
