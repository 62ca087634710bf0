extension TenantRecord: StoredRecord {
  init(stored reader: RecordReader) throws(RecordDamage) {
    self.init(id: try reader.text("id"), createdAtMilliseconds: try reader.int("createdAt"))
    displayName = try reader.optionalText("displayName")
    allowsPasswords = try reader.bool("passwords")
    allowsEmailLinks = try reader.bool("emailLinks")
    allowsAnonymous = try reader.bool("anonymous")
    isDisabled = try reader.bool("disabled")
    if let text = try reader.optionalText("secondFactors") {
      guard let policy = SecondFactorSettings.Policy(rawValue: text) else {
        throw RecordDamage("its policy on second factors is unknown")
      }
      secondFactorPolicy = policy
    }
    secondFactorProviders =
      try reader.optionalText("secondFactorProviders")?.split(separator: " ").map(String.init) ?? []
    if let isOn = try reader.optionalBool("authenticators") {
      authenticators = Authenticators(
        isOn: isOn, adjacentIntervals: try reader.optionalInt("authenticatorIntervals"))
    }
    changes = try reader.optionalText("changes")
    protectsFromEnumeration = try reader.optionalBool("protectsFromEnumeration")
  }

  func store(in writer: inout RecordWriter) {
    writer.set("id", id)
    writer.set("displayName", displayName)
    writer.set("passwords", allowsPasswords)
    writer.set("emailLinks", allowsEmailLinks)
    writer.set("anonymous", allowsAnonymous)
    writer.set("disabled", isDisabled)
    if let protectsFromEnumeration { writer.set("protectsFromEnumeration", stated: protectsFromEnumeration) }
    writer.set("secondFactors", secondFactorPolicy?.rawValue)
    let providers = secondFactorProviders.joined(separator: " ")
    writer.set("secondFactorProviders", providers.isEmpty ? nil : providers)
    if let authenticators {
      writer.set("authenticators", stated: authenticators.isOn)
      writer.set("authenticatorIntervals", authenticators.adjacentIntervals)
    }
    writer.set("changes", changes)
    writer.set("createdAt", createdAtMilliseconds)
  }
}
