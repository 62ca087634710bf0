extension SessionRecord: StoredRecord {
  init(stored reader: RecordReader) throws(RecordDamage) {
    self.init(
      family: try reader.text("family"), uid: try reader.text("uid"), signInProvider: try reader.text("provider"),
      authTimeSeconds: try reader.int("authTime"), createdAtSeconds: try reader.int("createdAt"),
      clientAddress: try reader.text("ip"), userAgent: try reader.text("userAgent"))
    lastUsedAtSeconds = try reader.int("lastUsedAt")
    userGeneration = try reader.optionalInt("userGeneration")
    claims = try reader.optionalText("claims")
    signInAttributes = try reader.optionalText("attributes")
    secondFactor = try reader.optionalText("secondFactor")
    isUserVerified = try reader.bool("userVerified")
    generation = try reader.int("generation")
    replacedAtSeconds = try reader.optionalInt("replacedAt")
    isLegacy = try reader.bool("legacy")
    expiresAtSeconds = try reader.optionalInt("expiresAt")
  }

  func store(in writer: inout RecordWriter) {
    writer.set("family", family)
    writer.set("uid", uid)
    writer.set("provider", signInProvider)
    writer.set("authTime", authTimeSeconds)
    writer.set("createdAt", createdAtSeconds)
    writer.set("lastUsedAt", lastUsedAtSeconds)
    writer.set("userGeneration", userGeneration)
    writer.set("claims", claims)
    writer.set("attributes", signInAttributes)
    writer.set("secondFactor", secondFactor)
    writer.set("userVerified", isUserVerified)
    writer.set("generation", generation)
    writer.set("replacedAt", replacedAtSeconds)
    writer.set("legacy", isLegacy)
    writer.set("expiresAt", expiresAtSeconds)
    writer.set("ip", clientAddress)
    writer.set("userAgent", userAgent)
  }
}

extension Ticket: StoredRecord {
  init(stored reader: RecordReader) throws(RecordDamage) {
    guard let purpose = Purpose(rawValue: try reader.text("purpose")) else {
      throw RecordDamage("its purpose is unknown")
    }
    self.init(
      purpose: purpose, uid: try reader.optionalText("uid"), email: try reader.optionalText("email"),
      createdAtSeconds: try reader.int("createdAt"), expiresAtSeconds: try reader.int("expiresAt"))
    newEmail = try reader.optionalText("newEmail")
    phoneNumber = try reader.optionalText("phoneNumber")
    failedAttempts = try reader.int("failedTries")
    details = try reader.optionalText("details")
  }

  func store(in writer: inout RecordWriter) {
    writer.set("purpose", purpose.rawValue)
    writer.set("uid", uid)
    writer.set("email", email)
    writer.set("newEmail", newEmail)
    writer.set("phoneNumber", phoneNumber)
    writer.set("createdAt", createdAtSeconds)
    writer.set("expiresAt", expiresAtSeconds)
    writer.set("failedTries", failedAttempts)
    writer.set("details", details)
  }
}

extension TokenCutoff: StoredRecord {
  init(stored reader: RecordReader) throws(RecordDamage) {
    self.init(generation: try reader.int("generation"), seconds: try reader.int("tokensSince"))
  }

  func store(in writer: inout RecordWriter) {
    writer.set("generation", generation)
    writer.set("tokensSince", seconds)
  }
}

extension ServiceAccount: StoredRecord {
  init(stored reader: RecordReader) throws(RecordDamage) {
    self.init(
      email: try reader.text("email"), name: try reader.text("name"), publicKeys: try reader.texts("publicKeys"),
      createdAtMilliseconds: try reader.int("createdAt"))
    isDisabled = try reader.bool("disabled")
    tokenGeneration = try reader.optionalInt("tokenGeneration") ?? 0
  }

  func store(in writer: inout RecordWriter) {
    writer.set("email", email)
    writer.set("name", name)
    writer.set("disabled", isDisabled)
    writer.set("publicKeys", publicKeys)
    writer.set("createdAt", createdAtMilliseconds)
    writer.set("tokenGeneration", tokenGeneration == 0 ? nil : tokenGeneration)
  }
}

extension AccountLock: StoredRecord {
  init(stored reader: RecordReader) throws(RecordDamage) {
    self.init(
      failures: try reader.int("failures"), lockedUntilSeconds: try reader.int("lockedUntil"),
      lastFailureSeconds: try reader.int("lastFailure"))
  }

  func store(in writer: inout RecordWriter) {
    writer.set("failures", failures)
    writer.set("lockedUntil", lockedUntilSeconds)
    writer.set("lastFailure", lastFailureSeconds)
  }
}
