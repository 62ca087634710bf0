import Dispatch

/// The queues of a database, under the names that debuggers show.
enum DatabaseQueues {
  static func make(
    for name: String
  ) -> (
    deciding: DispatchQueue, largeWrites: DispatchQueue, largeReads: DispatchQueue, journal: DispatchQueue,
    snapshots: DispatchQueue
  ) {
    (
      DispatchQueue(label: "hearth.engine.\(name)"),
      DispatchQueue(label: "hearth.large.\(name)", qos: .utility),
      DispatchQueue(label: "hearth.reads.\(name)", qos: .utility),
      DispatchQueue(label: "hearth.journal.\(name)"),
      DispatchQueue(label: "hearth.snapshot.\(name)", qos: .utility)
    )
  }
}
