import HearthPlugin
import HearthTree

extension PhoneSettings {
  /// Reads the settings, and the one member that names an SMS plugin.
  mutating func read(_ object: inout ConfigurationObject) throws(SettingsError) {
    try object.read("secondFactor", into: &secondFactor)
    if var regions = try object.object("regions") { self.regions = try PhoneRegions(&regions) }
    if let prefixes = try object.texts("premiumPrefixes") {
      for prefix in prefixes where !prefix.hasPrefix("+") || !PhoneRegions.isRegion(prefix) {
        throw object.wrong("premiumPrefixes", "has \(prefix), which is not the first digits of numbers: +44870")
      }
      premiumPrefixes = prefixes
    }
    if let numbers = try object.object("testNumbers") { testNumbers = try Self.testNumbers(numbers) }
    if let captcha = object.value("captcha") {
      self.captcha = try CaptchaSettings(captcha, at: object.location(of: "captcha"))
    }
    for member in object.others() {
      switch member.value {
      case .bool(false): continue
      case .bool(true), .object:
        if let sender {
          throw object.wrong(member.name, "is a second sender of messages besides \(sender.name); keep one")
        }
        sender = PluginChoice(member.name, member.value.members == nil ? .object([]) : member.value)
      default: throw object.unknown(member.name)
      }
    }
  }

  private static func testNumbers(_ object: ConfigurationObject) throws(SettingsError) -> [String: String] {
    var numbers: [String: String] = [:]
    for member in object.others() {
      guard (try? PhoneNumber.check(member.name)) != nil else {
        throw object.wrong(member.name, "is not a phone number: write + and digits, such as +15555550100")
      }
      guard let code = member.value.string, isCode(code) else {
        throw object.wrong(member.name, "must have a code of six digits: \"123456\"")
      }
      numbers[member.name] = code
    }
    return numbers
  }

  /// Returns true when a text can be a code.
  package static func isCode(_ text: String) -> Bool {
    text.utf8.count == 6 && text.utf8.allSatisfy { (UInt8(ascii: "0")...UInt8(ascii: "9")).contains($0) }
  }
}

extension PhoneRegions {
  fileprivate init(_ object: inout ConfigurationObject) throws(SettingsError) {
    let (allowed, denied) = (try object.texts("allow"), try object.texts("deny"))
    try object.end()
    for (name, regions) in [("allow", allowed), ("deny", denied)] {
      for region in regions ?? [] where !Self.isRegion(region) {
        throw object.wrong(
          name, "has \(region), which is neither a country such as DE nor the first digits of numbers: +49")
      }
    }
    switch (allowed, denied) {
    case (let allowed?, nil): self = .only(allowed)
    case (nil, let denied?): self = .allBut(denied)
    default: throw object.wrong("allow", "is missing; give allow or deny: { \"allow\": [\"DE\", \"AT\"] }")
    }
  }
}
