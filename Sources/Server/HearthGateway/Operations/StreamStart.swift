import HearthEngine
import HearthTransport
import HearthTree
import NIOCore

/// The start of an event stream, a read with `Accept: text/event-stream`: the response has the current value, and every
/// change from then on.
struct StreamStart {
  let call: RESTCall
  let location: Location

  /// Starts the stream.
  ///
  /// - Parameter creation: the treatment of a missing database.
  func answer(creating creation: DatabaseCreation) throws(RESTFailure) {
    // A priority has no events of its own: it is a part of its node.
    guard !location.isPriority else { throw .invalidPath }
    let subject = StreamConnection.Subject(path: location.path, query: call.request.query, form: call.request.form)
    let connection = StreamConnection(
      subject, as: call.caller, requestID: call.origin.requestID, address: call.origin.address, hub: call.hub,
      services: call.services, eventSizeBytesMax: call.eventBytesMax, completion: call.completion)
    var refusing = call
    refusing.completion = connection.refuse
    refusing.withDatabase(creation) { database in
      call.explainingRead(of: location.path, from: .database(database)) { explained in
        connection.begin(database, completion: explained.completion)
      }
    }
  }
}

extension RESTResponse {
  /// Returns the beginning of an event stream.
  static func eventStream(_ delegate: NIOLoopBound<any HTTPStreamDelegate>) -> RESTResponse {
    // Without the character set some clients read the text as Latin-1; the last header keeps proxies from buffering it.
    var response = RESTResponse(
      headers: [
        (name: "Content-Type", value: "text/event-stream; charset=utf-8"), (name: "X-Accel-Buffering", value: "no"),
      ], body: [])
    response.stream = delegate
    return response
  }
}
