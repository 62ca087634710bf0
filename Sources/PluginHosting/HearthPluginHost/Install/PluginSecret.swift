import HearthCrypto
import HearthSystem
import HearthTree

/// A secret that signs requests to a plugin's service.
package struct PluginSecret: Sendable, Equatable {
  /// The secret.
  package var secret: WebhookSecret
  /// The time in milliseconds since 1970 at which it expires; nil for the current one.
  package var endMilliseconds: Int64?

  /// The default time for which the former secret stays valid after a rotation.
  package static let overlapMilliseconds: Int64 = 24 * 60 * 60 * 1_000

  /// Returns true when requests are signed with it at the given time.
  func counts(now: Int64) -> Bool { endMilliseconds.map { now < $0 } ?? true }
}

/// The secrets of services: `secrets.json` in a plugin's folder, for its owner to read.
///
/// ```json
/// {"secrets": [{"secret": "whsec_…"}, {"secret": "whsec_…", "endMilliseconds": 1800000000000}]}
/// ```
extension PluginFolder {
  private static let secretsName = "secrets.json"

  /// Returns a service's secrets, the newest first.
  func secrets(of name: String) throws(PluginProblem) -> [PluginSecret] {
    guard let bytes = try read(name, Self.secretsName) else { return [] }
    guard let elements = JSON(parsing: bytes)?["secrets"]?.array else {
      throw PluginProblem("its \(Self.secretsName) is damaged")
    }
    var secrets: [PluginSecret] = []
    for element in elements {
      guard let secret = try? WebhookSecret(element["secret"]?.string ?? "") else {
        throw PluginProblem("its \(Self.secretsName) is damaged")
      }
      secrets.append(PluginSecret(secret: secret, endMilliseconds: element["endMilliseconds"]?.int))
    }
    return secrets
  }

  /// Replaces the current secret, which stays valid for a while.
  ///
  /// - Parameters:
  ///   - overlapMilliseconds: the time for which the former stays valid; 0 ends it at once.
  ///   - now: milliseconds since 1970.
  package func setSecret(
    _ secret: WebhookSecret, of name: String, overlapMilliseconds: Int64, now: Int64 = Clock.wallMilliseconds
  ) throws(PluginProblem) {
    let plugin = try existing(name)
    guard plugin.manifest?.carrier.isService == true else {
      throw PluginProblem("\(name) is not a service and has no secret")
    }
    try locked { () throws(PluginProblem) in
      var kept = [PluginSecret(secret: secret)]
      if overlapMilliseconds > 0, var former = try secrets(of: name).first, former.secret != secret {
        former.endMilliseconds = now + overlapMilliseconds
        kept.append(former)
      }
      let elements = kept.map { kept in
        JSON.object(
          [.init("secret", .string(kept.secret.text))]
            + (kept.endMilliseconds.map { [.init("endMilliseconds", .int($0))] } ?? []))
      }
      try write((["secrets": .array(elements)] as JSON).text(), Self.secretsName, of: name)
    }
  }
}
