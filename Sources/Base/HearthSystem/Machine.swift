#if canImport(Glibc)
  import Glibc
#elseif canImport(Musl)
  import Musl
#elseif canImport(Darwin)
  import Darwin
#endif

/// The size of the machine, or of the part of it that a container may use.
public struct Machine: Sendable, Equatable {
  /// Processors that are online; at least 1.
  public var processors: Int
  /// Bytes of memory; 0 when unknown.
  public var memoryBytes: Int

  /// Creates a machine of a size, for tests.
  public init(processors: Int, memoryBytes: Int) {
    self.processors = processors
    self.memoryBytes = memoryBytes
  }

  /// The machine that this process runs on, at the time of the call. Its memory is the limit of the control group, if
  /// there is one.
  public static var current: Machine {
    let pages = sysconf(Int32(_SC_PHYS_PAGES))
    let pageBytes = sysconf(Int32(_SC_PAGESIZE))
    let (memory, overflows) = pages.multipliedReportingOverflow(by: pageBytes)
    let memoryBytes = pages > 0 && pageBytes > 0 && !overflows ? memory : 0
    return Machine(
      processors: max(1, sysconf(Int32(_SC_NPROCESSORS_ONLN))),
      memoryBytes: min(memoryBytes, ControlGroup.memoryBytesMax() ?? .max))
  }
}
