/// The beginning or end of a listen at the server.
package enum ListenChange {
  /// A listen begins. The tag is present exactly when the query has bounds or a limit.
  case start(QuerySpec, tag: Int?)
  /// A listen ends, with the tag that it began with.
  case stop(QuerySpec, tag: Int?)
}
