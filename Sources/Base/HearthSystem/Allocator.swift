#if canImport(Glibc)
  import CMalloc
  import Glibc
#endif

/// Configures how the C library keeps freed memory and returns it to the machine. Does nothing with other C libraries
/// than glibc, whose allocator keeps as much as it can.
public enum Allocator {
  /// The size from which a block without a free place is a mapping of its own, which goes back to the machine when it
  /// is freed.
  ///
  /// glibc begins with 128 KiB and raises it to the size of each such block that is freed, up to 32 MiB; from then on
  /// large texts lie between small objects in its arenas, and stay resident when all clients have left. Measured with
  /// 300 event streams on a value of 8 MB, release build, two loops: 787 MiB resident ever after with glibc's defaults;
  /// 113 MiB with two arenas (`M_ARENA_MAX`), where threads wait for each other; 63 MiB, as before the streams came,
  /// with this. A mapping costs some microseconds and its pages' first touch, little beside a megabyte of JSON. With
  /// it, another allocator (jemalloc) has nothing left to give back.
  public static let mappedBytesMin = 1 << 20

  /// Sets ``mappedBytesMin`` for the whole process. To be called once, before there are large blocks.
  public static func configure() {
    #if canImport(Glibc)
      _ = mallopt(M_MMAP_THRESHOLD, Int32(mappedBytesMin))
    #endif
  }

  /// Gives back the free memory of the arenas, which hold the smaller blocks. Takes each arena's lock for some time:
  /// not for an event loop. Measured with 200 such streams that were sent 6,000 small writes each, which they did not
  /// read: 486 MiB resident ever after without it, 50 MiB with it.
  public static func releaseFreeMemory() {
    #if canImport(Glibc)
      _ = malloc_trim(0)
    #endif
  }
}
