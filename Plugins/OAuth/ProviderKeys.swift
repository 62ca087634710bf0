import HearthCrypto
import HearthPlugin
import HearthTree

/// A provider's keys, fetched on demand and cached for the time that the provider states.
actor ProviderKeys {
  enum Source: Sendable {
    /// The URL of the keys.
    case keySet(url: String)
    /// An issuer whose configuration document contains the keys' URL.
    case issuer(String)
  }

  /// The shortest lifetime: even a provider that forbids caching must not be asked at every sign-in.
  private static let keptSecondsMin: Int64 = 300
  /// The longest lifetime, after which a withdrawn key is dropped in any case.
  private static let keptSecondsMax: Int64 = 86_400
  private static let keptSecondsDefault: Int64 = 3_600
  /// The pause between fetches for tokens with an unknown key, because any client can send such a token.
  private static let unknownKeySeconds: Int64 = 60
  /// The pause between fetches of a provider that did not answer.
  private static let failureSeconds: Int64 = 5

  private struct Kept {
    var keys: ForeignKeySet
    var fetchedAtSeconds: Int64
    var lifetimeSeconds: Int64
  }

  private let source: Source
  private let http: ProviderHTTP
  private var kept: Kept?
  private var failedAtSeconds: Int64?
  private var fetching: Task<Result<Kept, SignInRefusal>, Never>?

  init(_ source: Source, http: ProviderHTTP) {
    self.source = source
    self.http = http
  }

  /// Returns the keys.
  ///
  /// - Parameter isStale: True when a token names an unknown key, so that the keys are fetched again unless that was
  ///   done just now.
  func keys(nowSeconds: Int64, isStale: Bool = false) async throws(SignInRefusal) -> ForeignKeySet {
    if let kept {
      // A clock that went back makes all keys stale.
      let age = nowSeconds - kept.fetchedAtSeconds
      if age >= 0, age < (isStale ? Self.unknownKeySeconds : kept.lifetimeSeconds) { return kept.keys }
    }
    if let failedAtSeconds, (0..<Self.failureSeconds).contains(nowSeconds - failedAtSeconds) {
      throw ProviderHTTP.unavailable
    }
    // One fetch serves all waiting requests; it continues when the first of them is cancelled.
    let task = fetching ?? Task { [source, http] in await Self.fetch(source, http: http, nowSeconds: nowSeconds) }
    fetching = task
    let result = await task.value
    if fetching == task { fetching = nil }
    switch result {
    case .success(let fresh):
      (kept, failedAtSeconds) = (fresh, nil)
      return fresh.keys
    case .failure(let refusal):
      failedAtSeconds = nowSeconds
      throw refusal
    }
  }

  private static func fetch(
    _ source: Source, http: ProviderHTTP, nowSeconds: Int64
  ) async -> Result<Kept, SignInRefusal> {
    do throws(SignInRefusal) {
      let url =
        switch source {
        case .keySet(let url): url
        case .issuer(let issuer): try await keysURL(of: issuer, http: http)
        }
      let answer = try await http.ask(.get, url)
      guard answer.status == 200, let keys = try? ForeignKeySet(jwks: answer.json.text()) else {
        throw ProviderHTTP.unavailable
      }
      let lifetime = min(max(answer.maxAgeSeconds ?? keptSecondsDefault, keptSecondsMin), keptSecondsMax)
      return .success(Kept(keys: keys, fetchedAtSeconds: nowSeconds, lifetimeSeconds: lifetime))
    } catch {
      return .failure(error)
    }
  }

  private static func keysURL(of issuer: String, http: ProviderHTTP) async throws(SignInRefusal) -> String {
    guard let url = try await configuration(of: issuer, http: http)["jwks_uri"]?.string else {
      throw ProviderHTTP.unavailable
    }
    return url
  }

  /// Returns an issuer's configuration document. OpenID Connect Discovery 1.0 §4: it must name exactly the requested
  /// issuer.
  static func configuration(of issuer: String, http: ProviderHTTP) async throws(SignInRefusal) -> JSON {
    let base = issuer.hasSuffix("/") ? String(issuer.dropLast()) : issuer
    let answer = try await http.ask(.get, base + "/.well-known/openid-configuration")
    guard answer.status == 200, let named = answer.json["issuer"]?.string, named.utf8.elementsEqual(issuer.utf8) else {
      throw ProviderHTTP.unavailable
    }
    return answer.json
  }
}
