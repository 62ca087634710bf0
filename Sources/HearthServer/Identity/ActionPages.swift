import HearthAccounts
import HearthGateway
import HearthTransport
import HearthTree
import NIOCore
import NIOHTTP1

/// The pages behind the links in mails: they say what the link is for and have a button that does it.
///
/// Looking at a page changes nothing, because mail scanners follow every link; the button posts a form. On an emulator a
/// program's GET does what the link says (``EmulatorAction``). Everything a page does goes through the identity interface as
/// an app would do it, so there is one meaning of a code.
struct ActionPages: HTTPResponder {
  static let actionPaths: Set<String> = [EmulatorAction.path, "/__/auth/action"]
  /// Where SDKs open pop-ups for providers.
  static let helperPaths: Set<String> = [
    "/emulator/auth/handler", "/emulator/auth/iframe", "/__/auth/handler", "/__/auth/iframe",
  ]
  static let paths = actionPaths.union(helperPaths)

  let identity: IdentityResponder

  func respond(to http: HTTPRequest, on loop: TransportLoop) -> EventLoopFuture<HTTPResponse> {
    let id = identity.requestIDs.next()
    func finish(_ page: HTMLPage) -> EventLoopFuture<HTTPResponse> {
      loop.eventLoop.makeSucceededFuture(page.response(id: id))
    }
    guard Self.actionPaths.contains(http.path) else { return finish(.noPopups) }
    let isPost = http.method == .POST
    guard isPost || http.method == .GET || http.method == .HEAD else { return finish(.methodNotAllowed) }
    let calls = ActionCalls(http: http, id: id, identity: identity)
    if let action = EmulatorAction(calls) { return answer(on: loop, id) { await action.perform() } }
    guard let form = Self.form(http, isPost: isPost) else { return finish(.brokenLink) }
    let visit = Visit(form: form, path: http.path, calls: calls)
    return answer(on: loop, id) { (isPost ? await visit.perform() : await visit.show()).response(id: id) }
  }

  private func answer(
    on loop: TransportLoop, _ id: String, _ work: @escaping @Sendable () async -> HTTPResponse
  ) -> EventLoopFuture<HTTPResponse> {
    guard identity.load.begin() else {
      return loop.eventLoop.makeSucceededFuture(HTMLPage.overloaded.response(id: id))
    }
    let promise = loop.eventLoop.makePromise(of: HTTPResponse.self)
    Task(executorPreference: AccountsExecutor.shared) {
      promise.succeed(await work())
      identity.load.end()
    }
    return promise.futureResult
  }

  /// What the transport refused, in words for people.
  func bodyLimit(for request: HTTPRequest) -> HTTPBodyLimit? { identity.bodyLimit(for: request) }

  func caller(of request: HTTPRequest, on loop: TransportLoop) -> HTTPBodyCaller { .anonymous }

  func response(to failure: HTTPFailure, for request: HTTPRequest?) -> HTTPResponse {
    let (status, text) = failure.explanation
    return HTMLPage(title: "Please try again", content: HTMLPage.paragraph(text), status: status)
      .response(id: identity.requestIDs.next())
  }

  /// A form's fields count only from its body: what is in a URL stays in histories and logs.
  private static func form(_ http: HTTPRequest, isPost: Bool) -> ActionForm? {
    let query =
      try? isPost ? URLQuery(http.body.readableBytesView) : URLQuery(http.query)
    return query.flatMap { ActionForm($0, isForm: isPost) }
  }
}

extension HTMLPage {
  static let brokenLink = HTMLPage(
    title: "This link does not work",
    content: paragraph("A part of the link is missing. Copy the whole link from the mail, or ask for a new one."),
    status: .badRequest)

  static let usedLink = HTMLPage(
    title: "This link does not work any more",
    content: paragraph("It has expired or was used before. Ask for a new one in the app."), status: .badRequest)

  static let overloaded = HTMLPage(
    title: "Please try again", content: paragraph("The server is busy. Try the link again in a moment."),
    status: .serviceUnavailable)

  static let methodNotAllowed = HTMLPage(
    title: "Not possible", content: paragraph("This address shows a page and takes a form."),
    status: .methodNotAllowed)

  static let noPopups = HTMLPage(
    title: "No pop-up sign-in here",
    content: paragraph(
      "This server does not open other providers' pages. Apps sign in with the provider's own library and hand the "
        + "token over with signInWithCredential."), status: .notImplemented)
}
