import HearthPlugin

/// A document of a provider, fetched on demand and cached for the time that the provider states. One fetch serves all
/// who wait for it.
actor ProviderDocument<Value: Sendable> {
  /// A fetched document, and the lifetime that the provider states; nil when it states none.
  typealias Fetched = (value: Value, maxAgeSeconds: Int64?)

  private struct Cached {
    var value: Value
    var fetchedAtSeconds: Int64
    var lifetimeSeconds: Int64
  }

  private let staleSeconds: Int64
  private let graceSeconds: Int64
  private let fetch: @Sendable (_ nowSeconds: Int64) async throws(SignInRefusal) -> Fetched
  private var cached: Cached?
  private var failedAtSeconds: Int64?
  private var fetching: Task<Result<Cached, SignInRefusal>, Never>?

  /// - Parameters:
  ///   - staleSeconds: The age up to which a document that lacks a value is not fetched again.
  ///   - graceSeconds: The time for which a document may be used after its lifetime, while the provider does not answer.
  init(
    staleSeconds: Int64 = ProviderDocumentLimits.staleSeconds, graceSeconds: Int64 = 0,
    fetch: @escaping @Sendable (_ nowSeconds: Int64) async throws(SignInRefusal) -> Fetched
  ) {
    (self.staleSeconds, self.graceSeconds) = (staleSeconds, graceSeconds)
    self.fetch = fetch
  }

  /// Returns the document.
  ///
  /// - Parameter isStale: True when the cached document lacks a value that the caller needs, such as a new key: it is then fetched
  ///   again, unless the last fetch is less than `staleSeconds` old.
  func value(nowSeconds: Int64, isStale: Bool = false) async throws(SignInRefusal) -> Value {
    if let cached {
      // A clock that was set back makes the cached document stale.
      let age = nowSeconds - cached.fetchedAtSeconds
      if age >= 0, age < (isStale ? staleSeconds : cached.lifetimeSeconds) {
        return cached.value
      }
    }
    if let failedAtSeconds, (0..<ProviderDocumentLimits.failureSeconds).contains(nowSeconds - failedAtSeconds) {
      return try known(nowSeconds: nowSeconds, isStale: isStale)
    }
    // The fetch continues when the first waiting request is cancelled.
    let task = fetching ?? Task { [fetch] in await Self.fetched(fetch, nowSeconds: nowSeconds) }
    fetching = task
    let result = await task.value
    if fetching == task { fetching = nil }
    switch result {
    case .success(let fresh):
      (cached, failedAtSeconds) = (fresh, nil)
      return fresh.value
    case .failure(let refusal):
      failedAtSeconds = nowSeconds
      guard let known = try? known(nowSeconds: nowSeconds, isStale: isStale) else { throw refusal }
      return known
    }
  }

  /// Returns the cached document while the provider does not answer. One that lacks a value does not help.
  private func known(nowSeconds: Int64, isStale: Bool) throws(SignInRefusal) -> Value {
    guard let cached, !isStale,
      (0..<cached.lifetimeSeconds + graceSeconds).contains(nowSeconds - cached.fetchedAtSeconds)
    else { throw ProviderHTTP.unavailable }
    return cached.value
  }

  private static func fetched(
    _ fetch: @Sendable (_ nowSeconds: Int64) async throws(SignInRefusal) -> Fetched, nowSeconds: Int64
  ) async -> Result<Cached, SignInRefusal> {
    do throws(SignInRefusal) {
      let (value, maxAge) = try await fetch(nowSeconds)
      let (least, most) = (ProviderDocumentLimits.lifetimeSecondsMin, ProviderDocumentLimits.lifetimeSecondsMax)
      let lifetime = min(max(maxAge ?? ProviderDocumentLimits.lifetimeSecondsDefault, least), most)
      return .success(Cached(value: value, fetchedAtSeconds: nowSeconds, lifetimeSeconds: lifetime))
    } catch {
      return .failure(error)
    }
  }
}

/// The lifetimes of cached documents of providers.
enum ProviderDocumentLimits {
  /// The shortest lifetime: even a provider that forbids caching must not be asked at every sign-in.
  static let lifetimeSecondsMin: Int64 = 300
  /// The longest lifetime, after which a withdrawn key is dropped in any case.
  static let lifetimeSecondsMax: Int64 = 86_400
  static let lifetimeSecondsDefault: Int64 = 3_600
  /// The pause between fetches of a document that lacks something, because any client can send a token with an unknown
  /// key.
  static let staleSeconds: Int64 = 60
  /// The pause between fetches of a provider that did not answer.
  static let failureSeconds: Int64 = 5
}
