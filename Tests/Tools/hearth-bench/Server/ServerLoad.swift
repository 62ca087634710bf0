import Glibc
import HearthProgram
import HearthSystem

/// The processor time and memory of a server's process since this value was created.
struct ServerLoad {
  private let process: pid_t?
  private let started = WallClock.monotonicNanoseconds
  private let startedProcessorSeconds: Double?

  init(_ target: BenchTarget) { self.init(process: target.process) }

  /// Starts the measurement.
  ///
  /// - Parameter process: The server's process; nil when it runs on another machine.
  init(process: pid_t?) {
    self.process = process
    startedProcessorSeconds = process.flatMap(Self.processorSeconds)
  }

  var seconds: Double { WallClock.seconds(since: started) }

  var residentBytes: Int? { process.flatMap { ProcessStatistics.residentBytes(of: $0) } }

  /// The processor seconds since creation; nil when the process runs on another machine.
  var processorSeconds: Double? {
    guard let startedProcessorSeconds, let now = process.flatMap(Self.processorSeconds) else { return nil }
    return now - startedProcessorSeconds
  }

  /// The average number of processors in use; 1 is one of them all the time.
  var processorShare: Double? { processorSeconds.map { $0 / seconds } }

  /// Returns the user and system time of all its threads by the process's clock, in seconds; `/proc/<pid>/stat` has
  /// only hundredths.
  static func processorSeconds(_ process: pid_t) -> Double? {
    var (clock, time) = (clockid_t(), timespec())
    guard clock_getcpuclockid(process, &clock) == 0, clock_gettime(clock, &time) == 0 else { return nil }
    return Double(time.tv_sec) + Double(time.tv_nsec) / 1e9
  }
}
