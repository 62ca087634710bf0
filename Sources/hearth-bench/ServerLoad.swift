import Glibc
import HearthProgram

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

  var residentBytes: Int? { process.flatMap(ProcessMemory.residentBytes) }

  /// Processor seconds since the beginning; nil when the process is not ours to look at.
  var processorSeconds: Double? {
    guard let startedProcessorSeconds, let now = process.flatMap(Self.processorSeconds) else { return nil }
    return now - startedProcessorSeconds
  }

  /// Processors in use on the average: 1 is one of them all the time.
  var processorShare: Double? { processorSeconds.map { $0 / seconds } }

  /// The 14th and 15th field of `/proc/<pid>/stat`, in ticks; the second is in brackets and may hold spaces.
  private static func processorSeconds(_ process: pid_t) -> Double? {
    guard let text = try? TextFile.read("/proc/\(process)/stat"), let end = text.lastIndex(of: ")") else { return nil }
    let fields = text[end...].split(separator: " ")
    guard fields.count > 13, let user = Double(fields[12]), let system = Double(fields[13]) else { return nil }
    return (user + system) / Double(sysconf(Int32(_SC_CLK_TCK)))
  }
}
