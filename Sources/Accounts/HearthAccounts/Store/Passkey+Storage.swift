extension Passkey: StoredRecord {
  init(stored reader: RecordReader) throws(RecordDamage) {
    self.init(
      id: try reader.text("id"), name: try reader.text("name"), publicKey: try reader.text("publicKey"),
      userHandle: try reader.text("userHandle"), enrolledAtMilliseconds: try reader.int("enrolledAt"))
    signCount = try reader.int("signCount")
    isUserVerified = try reader.bool("userVerified")
    isBackupEligible = try reader.bool("backupEligible")
    isBackedUp = try reader.bool("backedUp")
    transports = try reader.optionalText("transports")?.split(separator: " ").map { String($0) } ?? []
    lastUsedAtMilliseconds = try reader.optionalInt("lastUsedAt")
  }

  func store(in writer: inout RecordWriter) {
    writer.set("id", id)
    writer.set("name", name)
    writer.set("publicKey", publicKey)
    writer.set("userHandle", userHandle)
    writer.set("signCount", signCount)
    writer.set("userVerified", isUserVerified)
    writer.set("backupEligible", isBackupEligible)
    writer.set("backedUp", isBackedUp)
    if !transports.isEmpty { writer.set("transports", transports.joined(separator: " ")) }
    writer.set("enrolledAt", enrolledAtMilliseconds)
    writer.set("lastUsedAt", lastUsedAtMilliseconds)
  }
}
