import HearthAccounts
import HearthTree

/// The pages behind the links in mails: they describe the link's action and have a button that performs it.
///
/// Viewing a page changes nothing, because mail scanners follow every link; the button posts a form. On an emulator a
/// program's GET performs the action (``EmulatorAction``). Pages use the identity interface as an app would, so a code
/// has one meaning everywhere.
struct ActionPages: Sendable {
  let endpoints: IdentityEndpoints

  /// Returns the page behind a link, or the result of its button.
  func action(_ request: IdentityRequest) async -> IdentityResponse {
    let isPost = request.method == "POST"
    guard isPost || request.method == "GET" || request.method == "HEAD" else {
      return HTMLPage.methodNotAllowed.response
    }
    let calls = ActionCalls(endpoints: endpoints, request: request)
    if let action = EmulatorAction(calls) { return await action.perform() }
    guard let form = Self.form(request, isPost: isPost) else { return HTMLPage.brokenLink.response }
    let visit = ActionVisit(form: form, path: request.path, calls: calls)
    return (isPost ? await visit.perform() : await visit.show()).response
  }

  /// Reads a form's fields, only from its body: URLs stay in histories and logs.
  private static func form(_ request: IdentityRequest, isPost: Bool) -> ActionForm? {
    let fields = isPost ? PercentEncoding.pairs(request.body) : request.query
    return fields.flatMap { ActionForm($0, isForm: isPost) }
  }
}

extension HTMLPage {
  static let brokenLink = HTMLPage(
    title: "This link does not work",
    content: paragraph("Part of the link is missing. Copy the whole link from the mail, or request a new one."),
    status: 400)

  static let usedLink = HTMLPage(
    title: "This link no longer works",
    content: paragraph("It has expired or was already used. Request a new one in the app."), status: 400)

  /// The page of an overloaded server.
  package static let overloaded = HTMLPage(
    title: "Please try again", content: paragraph("The server is busy. Try the link again in a moment."),
    status: 503)

  static let methodNotAllowed = HTMLPage(
    title: "Not possible", content: paragraph("This page does not support the method."),
    status: 405)

  /// The page for a request that was refused without evaluating it.
  ///
  /// - Parameter text: a readable reason.
  package static func refusal(status: Int, _ text: String) -> HTMLPage {
    HTMLPage(title: "Please try again", content: paragraph(text), status: status)
  }
}
