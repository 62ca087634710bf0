import HearthCrypto
import HearthPlugin
import HearthTree

extension SecondFactorSettings {
  /// Reads `{ "policy": "optional", "requiredClaims": { "admin": true, "role": ["owner", "editor"] }, … }`.
  mutating func read(_ object: inout ConfigurationObject) throws(SettingsError) {
    if let value = object.value("policy") {
      guard let policy = value.string.flatMap(Policy.init) else {
        throw object.wrong("policy", "must be \"off\", \"optional\" or \"required\"")
      }
      self.policy = policy
    }
    if let claims = object.value("requiredClaims") {
      let place = object.location(of: "requiredClaims")
      requiredClaims = try ConfigurationObject(claims, at: place).others().map { member throws(SettingsError) in
        try Self.claim(member, at: place)
      }
    }
    try object.read("totp", into: &totp)
    try object.read("totpAdjacentIntervals", into: &totpAdjacentIntervals, Self.adjacentIntervalsRange)
    try object.end()
  }

  private static func claim(_ member: JSON.Member, at place: String) throws(SettingsError) -> RequiredClaim {
    guard !IDTokenClaims.isTaken(member.name), !member.name.isEmpty else {
      throw SettingsError(place, "names a claim that administrators cannot give to accounts")
    }
    switch member.value {
    case .bool(true): return RequiredClaim(name: member.name)
    case .string: return RequiredClaim(name: member.name, values: [member.value])
    case .array(let values) where !values.isEmpty && values.allSatisfy({ $0.string != nil }):
      return RequiredClaim(name: member.name, values: values)
    default:
      throw SettingsError(
        place,
        "must give each claim as true, a string or an array of strings: { \"admin\": true, \"role\": [\"owner\"] }")
    }
  }
}
