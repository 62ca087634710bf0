#if canImport(Glibc)
  import Glibc
#elseif canImport(Musl)
  import Musl
#elseif canImport(Darwin)
  import Darwin
#endif

/// Threads for long computations, beside those of the event loops and of Swift's own pool.
///
/// Computing on Swift's pool would keep every other task waiting: it has one thread for each processor.
package enum WorkerThread {
  /// The stack size: some C libraries give new threads very little. Only the used part takes memory.
  private static let stackBytes = 8 << 20

  /// Runs the work on a thread that ends with it. Returns false when the system provides none; then the work does not
  /// run.
  package static func run(_ work: @escaping @Sendable () -> Void) -> Bool {
    let box = Unmanaged.passRetained(Box(work))
    var attributes = pthread_attr_t()
    guard pthread_attr_init(&attributes) == 0 else {
      box.release()
      return false
    }
    defer { pthread_attr_destroy(&attributes) }
    pthread_attr_setdetachstate(&attributes, Int32(PTHREAD_CREATE_DETACHED))
    pthread_attr_setstacksize(&attributes, stackBytes)
    #if canImport(Darwin)
      var thread: pthread_t?
    #else
      var thread = pthread_t()
    #endif
    let started = pthread_create(&thread, &attributes, { WorkerThread.enter($0) }, box.toOpaque())
    if started != 0 { box.release() }
    return started == 0
  }

  private final class Box: Sendable {
    let work: @Sendable () -> Void
    init(_ work: @escaping @Sendable () -> Void) { self.work = work }
  }

  #if canImport(Darwin)
    private static func enter(_ box: UnsafeMutableRawPointer) -> UnsafeMutableRawPointer? {
      Unmanaged<Box>.fromOpaque(box).takeRetainedValue().work()
      return nil
    }
  #else
    private static func enter(_ box: UnsafeMutableRawPointer?) -> UnsafeMutableRawPointer? {
      guard let box else { return nil }
      ThreadPriority.lower()
      Unmanaged<Box>.fromOpaque(box).takeRetainedValue().work()
      return nil
    }
  #endif
}
