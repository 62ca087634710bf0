import Glibc
import HearthProgram

/// The time since its creation: wall-clock time, and processor time of this process, which other load on the machine
/// hardly affects.
struct Stopwatch {
  private let start = WallClock.monotonicNanoseconds
  private let processorStart = Self.processorNanoseconds

  var text: String {
    let (wall, processor) = (WallClock.monotonicNanoseconds - start, Self.processorNanoseconds - processorStart)
    return "\(wall / 1_000_000) ms (\(processor / 1_000_000) ms of processor time)"
  }

  private static var processorNanoseconds: Int64 {
    var time = timespec()
    clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &time)
    return Int64(time.tv_sec) * 1_000_000_000 + Int64(time.tv_nsec)
  }
}
