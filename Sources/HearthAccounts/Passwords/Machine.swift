import HearthCrypto

#if canImport(Glibc)
  import Glibc
#elseif canImport(Musl)
  import Musl
#elseif canImport(Darwin)
  import Darwin
#endif

/// How big the machine is.
struct Machine: Sendable, Equatable {
  var processors: Int
  var memoryBytes: Int

  static var current: Machine {
    let pages = sysconf(Int32(_SC_PHYS_PAGES))
    let pageBytes = sysconf(Int32(_SC_PAGESIZE))
    let (memory, overflows) = pages.multipliedReportingOverflow(by: pageBytes)
    return Machine(
      processors: max(1, sysconf(Int32(_SC_NPROCESSORS_ONLN))),
      memoryBytes: pages > 0 && pageBytes > 0 && !overflows ? memory : 0)
  }

  /// Hashes to compute at once: one for each processor, as long as they stay within a quarter of the memory.
  func hashSlots(cost: PasswordCost) -> Int { max(1, min(processors, memoryBytes / 4 / max(1, cost.memoryBytes))) }
}
