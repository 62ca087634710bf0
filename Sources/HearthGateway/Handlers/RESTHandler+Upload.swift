import HearthEngine
import HearthTree

extension RESTHandler {
  /// `POST <path>/.upload`: a file of data from a form replaces what is at the path. For administrators.
  func upload(_ path: Path, _ context: Context) throws(RESTFailure) {
    let (request, principal) = (context.request, context.caller.principal)
    guard principal.isAdministrator else { throw .unauthorized }
    guard request.method == .post else { throw .methodNotAllowed }
    withDatabase(context, .byMode) { database in
      services.pool.run(on: hub.loop) { () -> Result<WriteOperation, RESTFailure> in
        Result { () throws(RESTFailure) in try Self.uploaded(request, to: path) }
      } completion: { result in
        switch result {
        case .success(let operation)?:
          hub.request(.write(operation), as: principal, of: database) { reply in
            guard case .failure(let failure) = reply else { return context.completion(.done) }
            context.completion(RESTResponse(RESTFailure(failure)))
          }
        case .failure(let failure)?: context.completion(RESTResponse(failure))
        case nil: context.completion(RESTResponse(.unavailable))
        }
      }
    }
  }

  private static func uploaded(_ request: RESTRequest, to path: Path) throws(RESTFailure) -> WriteOperation {
    guard let file = MultipartForm(request.body, contentType: request.contentType)?.file else { throw .noUpload }
    let location = Location(path: path)
    return WriteOperation(.put(location, try RESTBody.value(file, for: location)))
  }
}

extension RESTFailure {
  static let noUpload = RESTFailure(400, "An upload is a multipart/form-data body with one file.")
}
