import HearthTree

/// The operation `GET /.inspect/databases.json`: the names of the databases. For administrators; an emulator shows them
/// to every program of its machine.
struct DatabaseList {
  let call: RESTCall

  func answer() throws(RESTFailure) {
    guard call.request.method.isRead else { throw .methodNotAllowed }
    let names = call.services.databases.names.map { ["name": .string($0)] as JSON }
    call.completion(RESTResponse(JSON.array(names), pretty: call.request.isPretty))
  }
}
