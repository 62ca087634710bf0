/// The ID of a queue: the events of one trigger in one database's journal.
struct QueueID: Hashable, Sendable {
  var database: String
  var trigger: String
}
