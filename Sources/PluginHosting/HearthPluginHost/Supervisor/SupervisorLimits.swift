/// The limits on one plugin's use of the server, and the timeouts for it.
struct SupervisorLimits: Sendable, Equatable {
  /// The number of processes; the manifest sets it.
  var workerCount = 1
  /// The maximum number of concurrent requests to one process.
  var inFlightPerWorkerMax = 32
  /// The maximum number of requests that wait for a process; more fail at once.
  var waitingMax = 1_024
  /// The maximum size of the waiting requests, in bytes.
  var waitingBytesMax = 16 << 20
  /// The maximum number of unread bytes of a process; with more it gets no requests.
  var unreadBytesMax = 256 << 10
  /// The time that a new process may take to say hello.
  var helloMilliseconds: Int64 = 10_000
  /// The time by which a process may exceed the deadline of a request; after that it counts as hanging, and is killed.
  var overdueMilliseconds: Int64 = 10_000
  /// The time that a process that gets no more requests may take for the remaining ones.
  var drainMilliseconds: Int64 = 15_000
  /// The time that a process that was told to end may take before it is killed.
  var endMilliseconds: Int64 = 2_000
  /// The wait before a process is started again; it doubles with each crash.
  var backOffMilliseconds: Int64 = 100
  /// The longest such wait.
  var backOffMillisecondsMax: Int64 = 30_000
  /// The lifetime after which a process starts again with the shortest wait.
  var healthyMilliseconds: Int64 = 60_000
  /// The number of crashes after which the plugin is quarantined until the operator starts it.
  var crashesMax = 10
  /// The period in which crashes are counted.
  var crashWindowMilliseconds: Int64 = 300_000
  /// The number of invalid messages after which a process is killed.
  var faultsMax = 16
}
