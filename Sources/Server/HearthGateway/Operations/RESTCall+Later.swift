import HearthTransport
import HearthTree
import NIOCore

extension RESTCall {
  /// Responds with the result of `work`, which may wait for any work but this loop's.
  func answerLater(_ work: @escaping @Sendable () async throws(RESTFailure) -> RESTResponse) {
    let promise = hub.loop.makePromise(of: RESTResponse.self)
    promise.futureResult.assumeIsolated().whenComplete { result in
      completion((try? result.get()) ?? RESTResponse(.internalError))
    }
    let id = origin.requestID
    Task {
      await RequestContext.$id.withValue(id) {
        do throws(RESTFailure) {
          promise.succeed(try await work())
        } catch {
          promise.succeed(RESTResponse(error))
        }
      }
    }
  }

  /// Returns the members of a request's body, which is a JSON object or empty.
  func members() throws(RESTFailure) -> JSON {
    guard request.body.readableBytes > 0 else { return [:] }
    guard let json = JSON(parsing: request.body.readableBytesView), json.members != nil else {
      throw RESTFailure(400, "The body must be a JSON object.")
    }
    return json
  }
}
