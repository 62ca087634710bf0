import HearthDatabase
import HearthEngine
import HearthTree
import HearthWire

/// The operations `PUT`, `PATCH`, `POST` and `DELETE` of data.
struct DataWrite {
  let call: RESTCall
  let location: Location
  let database: Database

  private var services: GatewayServices { call.services }

  /// Writes the data. A large body is read, and echoed, away from the event loop.
  func answer() throws(RESTFailure) {
    let (request, location) = (call.request, location)
    let name = request.method == .post ? services.pushIDs.next(milliseconds: call.now.wallMilliseconds) : ""
    guard request.body.readableBytes > LargeValuePool.loopBytesMax else {
      return try send(try RESTWrite(request, at: location, name: name))
    }
    services.pool.run(on: call.hub.loop, for: call.poolClient) { () -> Result<RESTWrite, RESTFailure> in
      do throws(RESTFailure) { return .success(try RESTWrite(request, at: location, name: name)) } catch {
        return .failure(error)
      }
    } completion: { result in
      switch result {
      case .success(let write)?:
        do throws(RESTFailure) { try send(write) } catch { call.completion(RESTResponse(error)) }
      case .failure(let failure)?: call.completion(RESTResponse(failure))
      case nil: call.completion(RESTResponse(.unavailable))
      }
    }
  }

  private func send(_ write: RESTWrite) throws(RESTFailure) {
    let principal = call.caller.principal
    if write.operation.change.addsData, let refusal = services.quotas.storageRefusal(in: database.name) {
      throw RESTFailure(refusal)
    }
    let isDelete = write.onlyDeletes && call.request.method != .post
    if isDelete, principal.isAdministrator { try requireName() }
    var denial: Denial?
    var operation = write.operation
    operation.firesTriggers = !(call.request.disablesTriggers && principal.isAdministrator)
    call.hub.request(
      .write(operation), as: principal, from: call.origin.addressClass, in: call.origin.network, of: database,
      id: call.origin.requestID
    ) {
      denial = $0
    } completion: { reply in
      answer(reply, to: write, denial)
    }
  }

  /// Responds to a write.
  ///
  /// - Parameter denial: the denial of the write, for callers whose credential asks for explanations.
  private func answer(_ reply: Reply, to write: RESTWrite, _ denial: Denial?) {
    var explained = call
    if let explanation = denial.flatMap({ DenialLog.explanation(of: $0) }) { explained = call.explaining(explanation) }
    switch reply {
    case .written(let node): complete(explained, write, node)
    case .ok: complete(explained, write, nil)
    case .value, .listening, .result: explained.completion(RESTResponse(body: Array("null".utf8)))
    case .stale: refuse(explained, write)
    case .failure(let failure): explained.completion(RESTResponse(RESTFailure(failure)))
    }
  }

  /// Refuses to delete everything in a database that the request does not name: tools that remove data drop the name
  /// that they were given. There is no doubt when there is only one database, or the operator chose the default one.
  private func requireName() throws(RESTFailure) {
    guard !call.request.isNamespaceNamed, location.path.isRoot else { return }
    guard !services.databases.isDefaultNamed, services.databases.names.count > 1 else { return }
    throw .databaseNotNamed
  }

  private func complete(_ call: RESTCall, _ write: RESTWrite, _ node: Node?) {
    // The write is done, even if its echo failed.
    let completion: (RESTResponse?) -> Void = { call.completion($0 ?? .silent) }
    if call.request.body.readableBytes > LargeValuePool.loopBytesMax {
      services.pool.run(on: call.hub.loop, for: call.poolClient, { write.answer(node) }, completion: completion)
    } else {
      services.pool.read(on: call.hub.loop, for: call.poolClient, { write.answer(node) }, completion: completion)
    }
  }

  /// Refuses a failed comparison. The response shows the current value, so it needs the right to read it. Its body is
  /// the data alone: clients write it back after their next attempt.
  private func refuse(_ call: RESTCall, _ write: RESTWrite) {
    call.permittedRead(write.location, .database(database)) { node in
      let request = call.request
      call.respond(with: node) {
        RESTResponse(status: 412, headers: [(name: "ETag", value: ETag.of(node))], body: request.text(of: node))
      }
    }
  }
}

extension RESTFailure {
  static let databaseNotNamed = RESTFailure(
    400, "This server has several databases. Name the one to delete from with the ns parameter.")
}
