import HearthEngine
import HearthTransport
import HearthTree
import NIOCore

extension RESTHandler {
  /// Answers a read with a stream of events: what is there, and every change from then on.
  ///
  /// - Parameter creation: whether the database may come into being by it.
  func stream(
    _ location: Location, _ context: Context, _ query: Query?, _ creation: DatabaseCreation
  ) throws(RESTFailure) {
    // A priority has no events of its own: it is a part of the place that it belongs to.
    guard !location.isPriority else { throw .invalidPath }
    let subject = StreamConnection.Subject(path: location.path, query: query, form: context.request.form)
    let connection = StreamConnection(
      subject, as: context.caller, hub: hub, services: services, completion: context.completion)
    var refusing = context
    refusing.completion = connection.refuse
    withDatabase(refusing, creation) { database in
      connection.begin(database, completion: explaining(context, location.path, .database(database)).completion)
    }
  }
}

extension RESTResponse {
  /// The beginning of an event stream.
  static func eventStream(_ delegate: NIOLoopBound<any HTTPStreamDelegate>) -> RESTResponse {
    // Without the character set some clients take text for Latin-1; the last header keeps proxies from collecting it.
    var response = RESTResponse(
      headers: [
        (name: "Content-Type", value: "text/event-stream; charset=utf-8"), (name: "X-Accel-Buffering", value: "no"),
      ], body: [])
    response.stream = delegate
    return response
  }
}
