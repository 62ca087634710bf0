import HearthDatabase
import HearthEngine
import HearthTree
import HearthWire

extension RESTHandler {
  /// A large body is read, and echoed, away from the event loop.
  func write(_ location: Location, _ context: Context, _ database: Database) throws(RESTFailure) {
    let request = context.request
    let name = request.method == .post ? services.pushIDs.next(milliseconds: context.now.wallMilliseconds) : ""
    guard request.body.readableBytes > LargeValuePool.loopBytesMax else {
      return try send(try RESTWrite(request, at: location, name: name), context, database)
    }
    services.pool.run(on: hub.loop) { () -> Result<RESTWrite, RESTFailure> in
      do throws(RESTFailure) { return .success(try RESTWrite(request, at: location, name: name)) } catch {
        return .failure(error)
      }
    } completion: { result in
      switch result {
      case .success(let write)?:
        do throws(RESTFailure) { try send(write, context, database) } catch { context.completion(RESTResponse(error)) }
      case .failure(let failure)?: context.completion(RESTResponse(failure))
      case nil: context.completion(RESTResponse(.unavailable))
      }
    }
  }

  private func send(_ write: RESTWrite, _ context: Context, _ database: Database) throws(RESTFailure) {
    let principal = context.caller.principal
    let isDelete = write.onlyDeletes && context.request.method != .post
    if isDelete, principal.isAdministrator { try requireName(context) }
    var denial: Denial?
    hub.request(.write(write.operation), as: principal, of: database) {
      denial = $0
    } completion: { reply in
      let context = denial.flatMap { DenialLog.explanation(of: $0) }.map { explaining(context, $0) } ?? context
      switch reply {
      case .written(let node): complete(context, write, node)
      case .ok: complete(context, write, nil)
      case .value, .listening, .result: context.completion(RESTResponse(body: Array("null".utf8)))
      case .stale: refuse(context, write, database)
      case .failure(let failure): context.completion(RESTResponse(RESTFailure(failure)))
      }
    }
  }

  /// Tools that remove data forget which database they were told to look at. Where there is but one, that is no harm.
  private func requireName(_ context: Context) throws(RESTFailure) {
    guard !context.request.isNamespaceNamed, services.databases.names.count > 1 else { return }
    throw .databaseNotNamed
  }

  private func complete(_ context: Context, _ write: RESTWrite, _ node: Node?) {
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
      node = try permittedRead(write.location, context, .database(database))
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
  /// As often as the disk is tried again when it stays full.
  private static let noSpaceRetrySeconds = 5

  static let databaseNotNamed = RESTFailure(
    400, "This server has several databases: say which one to delete from with the ns parameter.")

  /// The status for the engine's cause. The engine's texts are made for clients.
  init(_ failure: Failure) {
    switch failure.code {
    case .permissionDenied: self = .permissionDenied
    case .invalidPath: self = .invalidPath
    case .invalidData, .writeTooBig, .indexNotDefined: self.init(400, failure.message)
    case .unavailable: self = .unavailable
    case .noSpace:
      self.init(503, failure.message)
      retryAfterSeconds = Self.noSpaceRetrySeconds
    // Client libraries send a request again by themselves after 500 and 503, and not after this.
    case .outcomeUnknown: self.init(504, failure.message)
    case .tooManyListens, .tooManyOnDisconnects, .unknownConnection: self.init(500, failure.message)
    }
  }
}
