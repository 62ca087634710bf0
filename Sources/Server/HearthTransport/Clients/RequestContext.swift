/// The request that a task works for, for its log lines.
package enum RequestContext {
  /// The request's id; nil outside of requests.
  @TaskLocal package static var id: String?
}
