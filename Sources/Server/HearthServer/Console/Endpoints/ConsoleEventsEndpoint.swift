import HearthConsole
import HearthDatabase
import HearthTransport
import NIOCore

/// The console's endpoint that opens an event stream.
struct ConsoleEventsEndpoint: ConsoleEndpoints {
  let context: ConsoleContext

  func events(_ name: String) -> EventLoopFuture<HTTPResponse> {
    let promise = loop.eventLoop.makePromise(of: HTTPResponse.self)
    do throws(ConsoleFailure) {
      // An open stream is no use of the session.
      let session = try session(isUse: false)
      guard let parameters = call.parameters else { throw .badQuery }
      let query = try EventsQuery(parameters)
      let subject = NIOLoopBound((session: session, query: query), eventLoop: loop.eventLoop)
      context.opened(parameters["ns"]).assumeIsolated().whenComplete { [self] result in
        do {
          let database = try result.get()
          promise.succeed(try begin(subject.value.session, subject.value.query, database))
        } catch {
          promise.succeed(ConsoleResponder.answer(error as? ConsoleFailure ?? .unavailable))
        }
      }
    } catch {
      promise.succeed(ConsoleResponder.answer(error))
    }
    return promise.futureResult
  }

  private func begin(
    _ session: ConsoleSession, _ query: EventsQuery, _ database: Database
  ) throws(ConsoleFailure) -> HTTPResponse {
    let (console, services) = (responder.console, responder.services)
    guard console.streams.enter(session) else {
      throw ConsoleFailure(.tooManyRequests, "Too many console pages are open. Close one and reload.")
    }
    var topics: [any ConsoleTopicFeed] = []
    do throws(ConsoleFailure) {
      for topic in query.topics {
        topics.append(try topic.begin(ConsoleTopicSources(database: database, services: services)))
      }
    } catch {
      for topic in topics { topic.end() }
      console.streams.leave(session)
      throw error
    }
    let stream = ConsoleStream(
      .init(
        session: session, topics: topics, isServed: { services.databases.opened(database.name) === database }),
      console, slots: console.streams, on: loop.eventLoop)
    var response = ConsoleResponder.answer(
      .ok,
      headers: [
        (name: "Content-Type", value: "text/event-stream; charset=utf-8"), (name: "X-Accel-Buffering", value: "no"),
      ])
    response.stream = NIOLoopBound(stream, eventLoop: loop.eventLoop)
    return response
  }
}
