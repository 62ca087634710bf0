/// A listen of the server that begins or ends.
package enum ListenChange {
  /// A tag comes with every query that has bounds or a limit, and with no other.
  case start(QuerySpec, tag: Int?)
  /// As it began.
  case stop(QuerySpec, tag: Int?)
}
