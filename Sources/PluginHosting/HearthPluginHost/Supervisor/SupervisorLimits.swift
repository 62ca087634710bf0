/// What one plugin may take of the server, and how patient the server is with it.
struct SupervisorLimits: Sendable, Equatable {
  /// Processes that answer; the manifest says how many.
  var workerCount = 1
  /// Requests that one process is asked at a time.
  var inFlightPerWorkerMax = 32
  /// Requests that wait for a process; more fail at once.
  var waitingMax = 1_024
  /// Bytes of the requests that wait.
  var waitingBytesMax = 16 << 20
  /// Bytes that a process has not read yet; with more it is asked nothing.
  var unreadBytesMax = 256 << 10
  /// The time that a new process may take to say hello.
  var helloMilliseconds: Int64 = 10_000
  /// The time that a process may owe an answer that nobody waits for any more; after that it hangs, and is ended.
  var overdueMilliseconds: Int64 = 10_000
  /// The time that a process that gets no more requests may take for those that it has.
  var drainMilliseconds: Int64 = 15_000
  /// The time that a process that was told to end may take before it is killed.
  var endMilliseconds: Int64 = 2_000
  /// The wait before a process is started again; it doubles with each crash.
  var backOffMilliseconds: Int64 = 100
  /// The longest such wait.
  var backOffMillisecondsMax: Int64 = 30_000
  /// A process that lived so long begins anew with the shortest wait.
  var healthyMilliseconds: Int64 = 60_000
  /// Crashes after which the plugin is given up until the operator says otherwise.
  var crashesMax = 10
  /// In this time.
  var crashWindowMilliseconds: Int64 = 300_000
  /// Messages that are none, or do not belong there, after which a process is ended.
  var faultsMax = 16
}
