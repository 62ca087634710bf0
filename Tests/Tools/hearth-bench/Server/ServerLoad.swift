import Glibc
import HearthProgram
import HearthSystem

/// What a run asks of the server's process: processor time and memory, from when this is made.
struct ServerLoad {
  private let process: pid_t?
  private let started = WallClock.monotonicNanoseconds
  private let startedProcessorSeconds: Double?

  init(_ target: BenchTarget) { self.init(process: target.process) }

  /// - Parameter process: nil when it is not this machine's.
  init(process: pid_t?) {
    self.process = process
    startedProcessorSeconds = process.flatMap(Self.processorSeconds)
  }

  var seconds: Double { WallClock.seconds(since: started) }

  var residentBytes: Int? { process.flatMap { ProcessFigures.residentBytes(of: $0) } }

  /// Processor seconds since the beginning; nil when the process is not ours to look at.
  var processorSeconds: Double? {
    guard let startedProcessorSeconds, let now = process.flatMap(Self.processorSeconds) else { return nil }
    return now - startedProcessorSeconds
  }

  /// Processors in use on the average: 1 is one of them all the time.
  var processorShare: Double? { processorSeconds.map { $0 / seconds } }

  /// User and system time of all its threads, by the process's own clock: what `/proc/<pid>/stat` says in hundredths.
  static func processorSeconds(_ process: pid_t) -> Double? {
    var (clock, time) = (clockid_t(), timespec())
    guard clock_getcpuclockid(process, &clock) == 0, clock_gettime(clock, &time) == 0 else { return nil }
    return Double(time.tv_sec) + Double(time.tv_nsec) / 1e9
  }
}
