#if canImport(Glibc)
  import Glibc
#elseif canImport(Musl)
  import Musl
#elseif canImport(Darwin)
  import Darwin
#endif

/// The priority of threads that compute for long, beside those that clients wait for.
///
/// Event loops and databases do little at a time. Where they share a processor with a long computation of their own
/// process, they would otherwise wait for the end of its time slice.
package enum ThreadPriority {
  /// The nice value of long computations: about a tenth of a processor beside threads that are always busy.
  package static let longWorkNiceness: Int32 = 10

  /// Steps back behind the process's other threads with the calling thread, for good.
  ///
  /// Changes nothing where the system refuses, where the thread is as nice already, and where the nice value is the
  /// whole process's.
  package static func lower() {
    #if os(Linux)
      let thread = ThreadPriority.who
      // -1 is a nice value too; for the calling thread no error is possible.
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
