#if canImport(Glibc)
  import CMalloc
  import Glibc
#endif

/// How the C library keeps memory that was freed, and how the machine gets it back. Elsewhere than with glibc, whose
/// allocator keeps what it can, nothing is done.
public enum Allocator {
  /// A block of this size and more, for which there is no free place already, is a mapping of its own, which goes back to
  /// the machine when it is freed.
  ///
  /// glibc begins with 128 KiB and raises it to the size of each such block that is freed, up to 32 MiB; from then on
  /// large texts lie between small objects in its arenas, and stay resident when everybody has left. Measured with 300
  /// event streams on a value of 8 MB, release build, two loops: 787 MiB resident ever after with glibc's own ways;
  /// 113 MiB with two arenas (`M_ARENA_MAX`), where threads wait for each other; 63 MiB, as before the streams came,
  /// with this. A mapping costs some microseconds and its pages' first touch, little beside a megabyte of JSON. With it
  /// an allocator of others (jemalloc) has nothing left to give back.
  public static let mappedBytesMin = 1 << 20

  /// Sets ``mappedBytesMin``, for the whole process. To be called once, before there are large blocks.
  public static func configure() {
    #if canImport(Glibc)
      _ = mallopt(M_MMAP_THRESHOLD, Int32(mappedBytesMin))
    #endif
  }

  /// Gives back what is free in the arenas, where the smaller blocks were. Takes each arena's lock for some time: not for
  /// an event loop. Measured with 200 such streams that were told 6,000 small writes each, which they did not read:
  /// 486 MiB resident ever after without it, 50 MiB with it.
  public static func giveBack() {
    #if canImport(Glibc)
      _ = malloc_trim(0)
    #endif
  }
}
