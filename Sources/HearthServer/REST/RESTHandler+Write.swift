import HearthEngine
import HearthTree
import HearthWire

extension RESTHandler {
  /// A large body is read, and echoed, away from the event loop.
  func write(_ location: Location, _ context: Context, _ database: Database) throws(RESTFailure) {
    let request = context.request
    let name = request.method == .post ? services.pushIDs.next(milliseconds: context.now.wallMilliseconds) : ""
    guard request.body.readableBytes > LargeValuePool.loopBytesMax else {
      return send(try RESTWrite(request, at: location, name: name), context, database)
    }
    services.pool.run(on: hub.loop) { () -> Result<RESTWrite, RESTFailure> in
      do throws(RESTFailure) { return .success(try RESTWrite(request, at: location, name: name)) } catch {
        return .failure(error)
      }
    } completion: { result in
      switch result {
      case .success(let write)?: send(write, context, database)
      case .failure(let failure)?: context.completion(RESTResponse(failure))
      case nil: context.completion(RESTResponse(.unavailable))
      }
    }
  }

  private func send(_ write: RESTWrite, _ context: Context, _ database: Database) {
    hub.request(.write(write.operation), as: context.caller.identity, of: database) { reply in
      switch reply {
      case .written(let node): complete(context, write, node)
      case .ok, .value: context.completion(RESTResponse(body: Array("null".utf8)))
      case .stale: refuse(context, write, database)
      case .failure(let failure): context.completion(RESTResponse(RESTFailure(failure)))
      }
    }
  }

  private func complete(_ context: Context, _ write: RESTWrite, _ node: Node) {
    guard context.request.body.readableBytes > LargeValuePool.loopBytesMax else {
      return context.completion(write.answer(node))
    }
    services.pool.run(on: hub.loop) {
      write.answer(node)
    } completion: { response in
      // The write is done, whatever became of its echo.
      context.completion(response ?? .silent)
    }
  }

  /// The answer to a failed comparison shows what is there, so it needs the right to read it. Its body is the data and
  /// nothing else: clients write it back after their next attempt.
  private func refuse(_ context: Context, _ write: RESTWrite, _ database: Database) {
    let node: Node
    do throws(RESTFailure) {
      node = try permittedRead(write.location, context, database)
    } catch {
      return context.completion(RESTResponse(error))
    }
    let request = context.request
    respond(to: context, with: node) {
      RESTResponse(status: 412, headers: [(name: "ETag", value: ETag.of(node))], body: request.text(of: node))
    }
  }
}

extension RESTFailure {
  /// The status for the engine's cause. The engine's texts are made for clients.
  init(_ failure: Failure) {
    switch failure.code {
    case .permissionDenied: self = .permissionDenied
    case .invalidPath: self = .invalidPath
    case .invalidData, .writeTooBig: self.init(400, failure.message)
    case .unavailable: self = .unavailable
    case .tooManyListens, .unknownConnection: self.init(500, failure.message)
    }
  }
}
