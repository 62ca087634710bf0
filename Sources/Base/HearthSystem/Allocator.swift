#if canImport(Glibc)
  import CMalloc
  import Glibc
#endif

/// The configuration of glibc's allocator, which by default keeps freed memory instead of returning it to the system.
/// Has no effect with other C libraries.
public enum Allocator {
  /// The size from which a block gets a memory mapping of its own (`M_MMAP_THRESHOLD`), which is returned to the system
  /// when the block is freed.
  ///
  /// glibc begins with 128 KiB and raises the threshold to the size of each mapped block that is freed, up to 32 MiB.
  /// From then on large texts are allocated between small objects in its arenas, and their memory stays resident when
  /// all clients have disconnected. Measured with 300 event streams on a value of 8 MB (release build, two event
  /// loops), the memory that stayed resident was 787 MiB with glibc's defaults; 113 MiB with two arenas
  /// (`M_ARENA_MAX`), where threads wait for each other; and 63 MiB, the same as before the streams, with this setting.
  /// A mapping costs some microseconds and its page faults, little compared with a megabyte of JSON. Another allocator
  /// (jemalloc) brings no further reduction.
  public static let mappedBytesMin = 1 << 20

  /// Sets ``mappedBytesMin`` for the whole process. Must be called once, before large blocks are allocated.
  public static func configure() {
    #if canImport(Glibc)
      _ = mallopt(M_MMAP_THRESHOLD, Int32(mappedBytesMin))
    #endif
  }

  /// Limits the number of arenas (`M_ARENA_MAX`) to a quarter of the processors, but not below two. glibc's default is
  /// eight for each processor, and each keeps the memory that its threads have freed. Must be called before threads
  /// begin.
  ///
  /// For a server that reads and evicts pages: with a cache of 64 MiB, two processors and ten times as much data, the
  /// process grew to 157 MiB by default and to 95 MiB with two arenas, and was not slower.
  public static func limitArenas() {
    #if canImport(Glibc)
      _ = mallopt(M_ARENA_MAX, Int32(clamping: max(2, Machine.current.processors / 4)))
    #endif
  }

  /// Returns the free memory of the arenas, which contain the smaller blocks, to the system. Holds each arena's lock
  /// for some time, so it must not run on an event loop. Measured with 200 event streams that did not read 6,000 small
  /// writes each, the memory that stayed resident was 486 MiB without this call and 50 MiB with it.
  public static func releaseFreeMemory() {
    #if canImport(Glibc)
      _ = malloc_trim(0)
    #endif
  }
}
