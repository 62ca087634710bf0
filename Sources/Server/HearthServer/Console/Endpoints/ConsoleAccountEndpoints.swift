import HearthAccounts
import HearthConsole
import HearthEngine
import HearthTransport
import HearthTree

/// The console's endpoints for accounts.
struct ConsoleAccountEndpoints: ConsoleEndpoints {
  let context: ConsoleContext

  func people() async throws(ConsoleFailure) -> HTTPResponse {
    let parameters = try pageParameters()
    let search = try AccountSearch(parameters)
    let (store, nowSeconds) = (try accountStore(parameters), call.now.wallMilliseconds / 1_000)
    let answer = await BlockingThread.run { search.answer(from: store.view, nowSeconds: nowSeconds) }
    guard let answer else {
      throw ConsoleFailure(
        .badRequest, "More than \(AccountSearch.examinedMax) accounts can only be listed by uid. Search instead.")
    }
    return ConsoleResponder.json(answer)
  }

  func person() async throws(ConsoleFailure) -> HTTPResponse {
    let parameters = try pageParameters()
    let (store, nowSeconds) = (try accountStore(parameters), call.now.wallMilliseconds / 1_000)
    guard let uid = parameters["uid"] else { throw ConsoleFailure(.badRequest, "The uid parameter is missing.") }
    let answer = await BlockingThread.run { () -> JSON? in
      let view = store.view
      return view.user(uid).map { AccountDetails.answer($0, in: view, nowSeconds: nowSeconds) }
    }
    guard let answer else { throw ConsoleFailure(.notFound, "Unknown account.") }
    return ConsoleResponder.json(answer)
  }

  /// Returns the accounts that a request is about: those of the tenant that it names, else the project's own.
  private func accountStore(_ parameters: [String: String]) throws(ConsoleFailure) -> AccountStore {
    guard let tenant = parameters["tenant"] else { return services.accounts.own.store }
    do throws(AccountError) {
      return try services.accounts.knownTenant(tenant).store
    } catch {
      throw ConsoleFailure(.notFound, "Unknown tenant.")
    }
  }
}
