import HearthCrypto

#if canImport(Glibc)
  import Glibc
#elseif canImport(Musl)
  import Musl
#elseif canImport(Darwin)
  import Darwin
#endif

/// How big the machine is, or the part of it that a container may use.
struct Machine: Sendable, Equatable {
  var processors: Int
  var memoryBytes: Int

  static var current: Machine {
    let pages = sysconf(Int32(_SC_PHYS_PAGES))
    let pageBytes = sysconf(Int32(_SC_PAGESIZE))
    let (memory, overflows) = pages.multipliedReportingOverflow(by: pageBytes)
    let memoryBytes = pages > 0 && pageBytes > 0 && !overflows ? memory : 0
    return Machine(
      processors: max(1, sysconf(Int32(_SC_NPROCESSORS_ONLN))),
      memoryBytes: min(memoryBytes, ControlGroup.memoryBytesMax() ?? .max))
  }

  /// Hashes to compute at once: one processor fewer than there are, which stays free for the databases however many
  /// people sign in, and no more than fit into a quarter of the memory.
  func hashSlots(cost: PasswordCost) -> Int {
    max(1, min(processors - 1, memoryBytes / 4 / max(1, cost.memoryBytes)))
  }
}
