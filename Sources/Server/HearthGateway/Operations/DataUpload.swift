import HearthEngine
import HearthTree

/// The operation `POST <path>/.upload`: a file of data from a form replaces the value at the path. For administrators.
struct DataUpload {
  let call: RESTCall
  let path: Path

  func answer() throws(RESTFailure) {
    let (request, principal, path, hub) = (call.request, call.caller.principal, path, call.hub)
    guard request.method == .post else { throw .methodNotAllowed }
    call.withDatabase(.byMode) { database in
      call.services.pool.run(on: hub.loop) { () -> Result<WriteOperation, RESTFailure> in
        Result { () throws(RESTFailure) in try Self.uploaded(request, to: path) }
      } completion: { result in
        switch result {
        case .success(let operation)?:
          if operation.change.addsData, let refusal = call.services.quotas.storageRefusal(in: database.name) {
            return call.completion(RESTResponse(RESTFailure(refusal)))
          }
          hub.request(.write(operation), as: principal, of: database, id: call.origin.requestID) { reply in
            guard case .failure(let failure) = reply else { return call.completion(.done) }
            call.completion(RESTResponse(RESTFailure(failure)))
          }
        case .failure(let failure)?: call.completion(RESTResponse(failure))
        case nil: call.completion(RESTResponse(.unavailable))
        }
      }
    }
  }

  private static func uploaded(_ request: RESTRequest, to path: Path) throws(RESTFailure) -> WriteOperation {
    guard let file = MultipartForm(request.body, contentType: request.contentType)?.file else { throw .noUpload }
    let location = Location(path: path)
    var operation = WriteOperation(.put(location, try RESTBody.value(file, for: location)))
    // Imported data is not new: it must not fire triggers.
    operation.firesTriggers = false
    return operation
  }
}

extension RESTFailure {
  static let noUpload = RESTFailure(400, "The body must be multipart/form-data with one file.")
}
