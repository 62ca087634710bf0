/// The request that a task works for, for the lines that it logs.
package enum RequestContext {
  /// The request's name; nil outside of requests.
  @TaskLocal package static var id: String?
}
