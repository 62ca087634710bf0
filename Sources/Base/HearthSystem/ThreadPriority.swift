#if canImport(Glibc)
  import Glibc
#elseif canImport(Musl)
  import Musl
#elseif canImport(Darwin)
  import Darwin
#endif

/// The priority of threads with long computations.
///
/// Event loops and databases work only briefly at a time. When they share a processor with a long computation of the
/// same process, they would otherwise wait for the end of its time slice.
package enum ThreadPriority {
  /// The nice value of long computations: they get about a tenth of a processor that they share with a busy thread.
  package static let longWorkNiceness: Int32 = 10

  /// Lowers the priority of the calling thread permanently.
  ///
  /// Does nothing when the system refuses, when the thread has this priority already, and on systems where the nice
  /// value applies to the whole process.
  package static func lower() {
    #if os(Linux)
      let thread = ThreadPriority.who
      // A result of -1 is also a valid nice value; for the calling thread no error is possible.
      guard getpriority(thread, 0) < longWorkNiceness else { return }
      _ = setpriority(thread, 0, longWorkNiceness)
    #endif
  }

  #if os(Linux)
    #if canImport(Glibc)
      private static let who = __priority_which_t(PRIO_PROCESS.rawValue)
    #else
      private static let who = PRIO_PROCESS
    #endif
  #endif
}
