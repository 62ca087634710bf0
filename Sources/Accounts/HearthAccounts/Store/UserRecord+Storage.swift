extension UserRecord: StoredRecord {
  init(stored reader: RecordReader) throws(RecordDamage) {
    self.init(uid: try reader.text("uid"), createdAtMilliseconds: try reader.int("createdAt"))
    email = try reader.optionalText("email")
    isEmailVerified = try reader.bool("emailVerified")
    initialEmail = try reader.optionalText("initialEmail")
    displayName = try reader.optionalText("displayName")
    photoURL = try reader.optionalText("photoUrl")
    phoneNumber = try reader.optionalText("phoneNumber")
    if let stored = try reader.object("password") { password = try StoredPassword(stored: stored) }
    for stored in try reader.objects("identities") { identities.append(try ProviderIdentity(stored: stored)) }
    isDisabled = try reader.bool("disabled")
    isCustomAuth = try reader.bool("customAuth")
    customAttributes = try reader.optionalText("customAttributes")
    lastSignInAtMilliseconds = try reader.optionalInt("lastSignInAt")
    lastRefreshAtMilliseconds = try reader.optionalInt("lastRefreshAt")
    validSinceSeconds = try reader.int("validSince")
    // Records without them are from the previous version: its tokens carry no generation, and are valid from the second
    // that is shown.
    cutoff = TokenCutoff(
      generation: try reader.optionalInt("generation") ?? 0,
      seconds: try reader.optionalInt("tokensSince") ?? validSinceSeconds)
    for stored in try reader.objects("factors") { factors.append(try SecondFactor(stored: stored)) }
    recoveryCodes = try reader.optionalText("recoveryCodes")?.split(separator: " ").map(String.init) ?? []
    for stored in try reader.objects("passkeys") { passkeys.append(try Passkey(stored: stored)) }
    for stored in try reader.objects("lateWays") {
      probationaryCredentials.append(try ProbationaryCredential(stored: stored))
    }
    hasTemporaryPassword = try reader.bool("temporaryPassword")
    // Records from before this field existed: the value follows from their other credentials.
    hasEmailLink = try reader.optionalBool("emailLink") ?? (email != nil && hasNoOtherCredential)
  }

  private var hasNoOtherCredential: Bool {
    password == nil && phoneNumber == nil && identities.isEmpty && !isCustomAuth
  }

  func store(in writer: inout RecordWriter) {
    writer.set("uid", uid)
    writer.set("email", email)
    writer.set("emailVerified", isEmailVerified)
    writer.set("initialEmail", initialEmail)
    writer.set("displayName", displayName)
    writer.set("photoUrl", photoURL)
    writer.set("phoneNumber", phoneNumber)
    writer.set("password", password)
    writer.set("identities", identities)
    writer.set("disabled", isDisabled)
    writer.set("customAuth", isCustomAuth)
    writer.set("customAttributes", customAttributes)
    writer.set("createdAt", createdAtMilliseconds)
    writer.set("lastSignInAt", lastSignInAtMilliseconds)
    writer.set("lastRefreshAt", lastRefreshAtMilliseconds)
    writer.set("validSince", validSinceSeconds)
    writer.set("generation", cutoff.generation)
    writer.set("tokensSince", cutoff.seconds)
    writer.set("factors", factors)
    writer.set("recoveryCodes", recoveryCodes.isEmpty ? nil : recoveryCodes.joined(separator: " "))
    writer.set("passkeys", passkeys)
    writer.set("lateWays", probationaryCredentials)
    writer.set("temporaryPassword", hasTemporaryPassword)
    if email != nil { writer.set("emailLink", stated: hasEmailLink) }
  }
}

extension ProbationaryCredential: StoredRecord {
  init(stored reader: RecordReader) throws(RecordDamage) {
    self.init(providerID: try reader.text("provider"), untilSeconds: try reader.int("until"))
  }

  func store(in writer: inout RecordWriter) {
    writer.set("provider", providerID)
    writer.set("until", untilSeconds)
  }
}

extension StoredPassword: StoredRecord {
  init(stored reader: RecordReader) throws(RecordDamage) {
    self.init(hash: try reader.text("hash"), updatedAtMilliseconds: try reader.int("updatedAt"))
  }

  func store(in writer: inout RecordWriter) {
    writer.set("hash", hash)
    writer.set("updatedAt", updatedAtMilliseconds)
  }
}

extension ProviderIdentity: StoredRecord {
  init(stored reader: RecordReader) throws(RecordDamage) {
    self.init(providerID: try reader.text("provider"), rawID: try reader.text("rawId"))
    email = try reader.optionalText("email")
    displayName = try reader.optionalText("displayName")
    photoURL = try reader.optionalText("photoUrl")
    screenName = try reader.optionalText("screenName")
  }

  func store(in writer: inout RecordWriter) {
    writer.set("provider", providerID)
    writer.set("rawId", rawID)
    writer.set("email", email)
    writer.set("displayName", displayName)
    writer.set("photoUrl", photoURL)
    writer.set("screenName", screenName)
  }
}

extension SecondFactor: StoredRecord {
  init(stored reader: RecordReader) throws(RecordDamage) {
    let kind: Kind
    switch try reader.text("kind") {
    case "totp":
      kind = .totp(sealedSecret: try reader.text("secret"), lastAcceptedStep: try reader.int("lastStep"))
    case "phone": kind = .phone(try reader.text("phoneNumber"))
    default: throw RecordDamage("it has an unknown kind of second factor")
    }
    self.init(
      id: try reader.text("id"), kind: kind, displayName: try reader.optionalText("displayName"),
      enrolledAtMilliseconds: try reader.int("enrolledAt"))
  }

  func store(in writer: inout RecordWriter) {
    writer.set("id", id)
    switch kind {
    case .totp(let sealedSecret, let lastAcceptedStep):
      writer.set("kind", "totp")
      writer.set("secret", sealedSecret)
      writer.set("lastStep", lastAcceptedStep)
    case .phone(let number):
      writer.set("kind", "phone")
      writer.set("phoneNumber", number)
    }
    writer.set("displayName", displayName)
    writer.set("enrolledAt", enrolledAtMilliseconds)
  }
}
