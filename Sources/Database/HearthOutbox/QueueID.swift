/// The events of one trigger in one database: a queue of that database's journal.
struct QueueID: Hashable, Sendable {
  var database: String
  var trigger: String
}
