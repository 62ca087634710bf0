import HearthAccounts
import HearthIdentity
import HearthTree

/// `GET api/people`: the matching accounts, in the order of their uids or in another.
///
/// | parameter | |
/// |---|---|
/// | `tenant` | the accounts' tenant; without it, those of the project itself |
/// | `q` | words; each must occur in the uid, a mail address, the name, the phone number, or the claims |
/// | `state` | `disabled`, `anonymous`, `unverified`, or `session`: with a session |
/// | `order` | `name`, `seen`, `created` or `sessions`; of ``examinedMax`` accounts at most |
/// | `dir` | `asc` or `desc`, with `order` |
/// | `after` | the last uid of the page before |
/// | `limit` | at most ``limitMax``; 100 |
///
/// The answer is `{"people": [{…as the identity API describes an account…, "sessions": 2}], "next": UID}`. A request
/// examines ``examinedMax`` accounts at most; `next` is where to continue, also when few of them matched, and is null at
/// the end.
struct AccountSearch {
  static let limitMax = 500
  /// The maximum number of accounts that one request examines: some tens of milliseconds.
  static let examinedMax = 10_000
  private static let queryBytesMax = 256
  private static let pageSize = 500

  private var words: [String] = []
  private var state: State?
  private var after: String?
  private var limit = 100
  private var order: AccountOrder?

  private enum State: String {
    case disabled, anonymous, unverified, session
  }

  init(_ parameters: [String: String]) throws(ConsoleFailure) {
    let query = parameters["q"] ?? ""
    guard query.utf8.count <= Self.queryBytesMax else {
      throw ConsoleFailure(.badRequest, "q must have at most \(Self.queryBytesMax) bytes.")
    }
    words = query.lowercased().split(separator: " ").map(String.init)
    if let text = parameters["state"] {
      guard let named = State(rawValue: text) else {
        throw ConsoleFailure(.badRequest, "state must be disabled, anonymous, unverified or session.")
      }
      state = named
    }
    after = parameters["after"]
    if let text = parameters["limit"] {
      guard let number = Int(text), (1...Self.limitMax).contains(number) else {
        throw ConsoleFailure(.badRequest, "limit must be a number from 1 to \(Self.limitMax).")
      }
      limit = number
    }
    guard let text = parameters["order"] else {
      guard parameters["dir"] == nil else { throw ConsoleFailure(.badRequest, "dir needs order.") }
      return
    }
    guard let key = AccountOrder.Key(rawValue: text) else {
      throw ConsoleFailure(.badRequest, "order must be name, seen, created or sessions.")
    }
    let direction = parameters["dir"] ?? "asc"
    guard direction == "asc" || direction == "desc" else {
      throw ConsoleFailure(.badRequest, "dir must be asc or desc.")
    }
    order = AccountOrder(key: key, isDescending: direction == "desc")
  }

  /// Returns the response.
  ///
  /// - Parameter nowSeconds: the time in seconds since 1970.
  /// - Returns: nil when there are too many accounts to sort.
  func answer(from view: AccountView, nowSeconds: Int64) -> JSON? {
    if let order { return answer(from: view, by: order, nowSeconds: nowSeconds) }
    var (found, examined, last): ([JSON], Int, String?) = ([], 0, after)
    var isAtEnd = false
    // A search for an exact uid or address shows that account first.
    if after == nil, state == nil, words.count == 1, let user = exact(words[0], in: view) {
      found.append(Self.json(user, in: view, nowSeconds: nowSeconds))
    }
    let first = found.first?["localId"]?.string
    while found.count < limit, examined < Self.examinedMax, !isAtEnd {
      let page = view.users(after: last, limit: min(Self.pageSize, Self.examinedMax - examined))
      isAtEnd = page.isEmpty
      for user in page {
        examined += 1
        last = user.uid
        guard fits(user, in: view, nowSeconds: nowSeconds), first?.isSameText(as: user.uid) != true else { continue }
        found.append(Self.json(user, in: view, nowSeconds: nowSeconds))
        if found.count == limit { break }
      }
    }
    let next = isAtEnd ? nil : last.map { JSON.string($0) }
    return ["people": .array(found), "next": next ?? .null]
  }

  private func answer(from view: AccountView, by order: AccountOrder, nowSeconds: Int64) -> JSON? {
    var (found, last): ([UserRecord], String?) = ([], nil)
    var examined = 0
    while true {
      let page = view.users(after: last, limit: Self.pageSize)
      guard let end = page.last else { break }
      examined += page.count
      guard examined <= Self.examinedMax else { return nil }
      last = end.uid
      found += page.filter { fits($0, in: view, nowSeconds: nowSeconds) }
    }
    let sorted = order.sorted(found, in: view, nowSeconds: nowSeconds)
    let start = after.flatMap { uid in sorted.firstIndex { $0.uid.isSameText(as: uid) } }.map { $0 + 1 } ?? 0
    let page = sorted[start...].prefix(limit)
    let next = page.endIndex < sorted.endIndex ? page.last.map { JSON.string($0.uid) } : nil
    return ["people": .array(page.map { Self.json($0, in: view, nowSeconds: nowSeconds) }), "next": next ?? .null]
  }

  private func exact(_ word: String, in view: AccountView) -> UserRecord? {
    view.user(word) ?? EmailAddress.canonical(word).flatMap { view.user(email: $0) } ?? view.user(phone: word)
  }

  private func fits(_ user: UserRecord, in view: AccountView, nowSeconds: Int64) -> Bool {
    switch state {
    case .disabled: guard user.isDisabled else { return false }
    case .anonymous: guard user.isAnonymous else { return false }
    case .unverified: guard user.email != nil, !user.isEmailVerified else { return false }
    case .session:
      guard !AccountDetails.current(of: user, in: view, nowSeconds: nowSeconds).isEmpty else { return false }
    case nil: break
    }
    guard !words.isEmpty else { return true }
    let own = [user.uid, user.email, user.displayName, user.phoneNumber, user.customAttributes]
    let texts = (own + user.identities.map(\.email)).compactMap { $0?.lowercased() }
    return words.allSatisfy { word in texts.contains { $0.contains(word) } }
  }

  static func json(_ user: UserRecord, in view: AccountView, nowSeconds: Int64) -> JSON {
    let count = AccountDetails.current(of: user, in: view, nowSeconds: nowSeconds).count
    return UserInfoAnswer.json(user).appending(["sessions": .int(Int64(count))])
  }
}
