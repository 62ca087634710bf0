/// The rotation of signing keys: a key is published an hour before it signs, signs for thirty days, and verifies until
/// the longest token that it can have signed has ended.
extension SigningKeys {
  /// The key that will sign next; nil when there is none.
  var next: Entry? { entries.first { $0.state == .next } }
  private var retired: [Entry] { entries.filter { $0.state == .retired } }

  /// The keys after the steps that are due; nil when none is.
  func rotatedIfDue(nowSeconds: Int64, random: RandomBytes) throws(RandomnessError) -> SigningKeys? {
    // A time that the file's form does not know would damage it.
    guard ClaimValue.int(nowSeconds).seconds != nil else { return nil }
    var keys = stamped(nowSeconds: nowSeconds)
    let secondsAlone = KeySchedule.signingSeconds - KeySchedule.publicationSeconds
    if keys.signing.isInState(for: secondsAlone, nowSeconds: nowSeconds) {
      keys = try keys.announced(nowSeconds: nowSeconds, random: random)
    }
    if let next = keys.next, next.isInState(for: KeySchedule.publicationSeconds, nowSeconds: nowSeconds) {
      keys = keys.promoted(nowSeconds: nowSeconds)
    }
    keys = keys.pruned(nowSeconds: nowSeconds)
    return keys.entries.map(\.info) == entries.map(\.info) ? nil : keys
  }

  /// The keys after an operator's rotation. Without urgency the new key is published first, and begins to sign an hour
  /// later by ``rotatedIfDue(nowSeconds:random:)``. With urgency an entirely new key signs at once: a published next
  /// key lay in the same file as the one in doubt, so it is dropped.
  func rotated(isUrgent: Bool, nowSeconds: Int64, random: RandomBytes) throws(RandomnessError) -> SigningKeys {
    guard ClaimValue.int(nowSeconds).seconds != nil else { return self }
    var keys = stamped(nowSeconds: nowSeconds)
    if isUrgent { keys = keys.with(keys.entries.filter { $0.state != .next }) }
    keys = try keys.announced(nowSeconds: nowSeconds, random: random)
    guard let next = keys.next,
      isUrgent || next.isInState(for: KeySchedule.publicationSeconds, nowSeconds: nowSeconds)
    else { return keys }
    return keys.promoted(nowSeconds: nowSeconds).pruned(nowSeconds: nowSeconds)
  }

  /// The keys without one, whose signatures become invalid. When it was the signing key, another signs at once.
  func removing(id: String, random: RandomBytes) throws(RandomnessError) -> SigningKeys {
    var keys = self
    if signing.id.hasSameBytes(as: id) {
      keys = try announced(nowSeconds: nil, random: random).promoted(nowSeconds: nil)
    }
    return keys.with(keys.entries.filter { !$0.id.hasSameBytes(as: id) })
  }

  /// The keys behind a new one that signs at once, whatever the time.
  func rotated(random: RandomBytes, keeping keptMax: Int = 3) throws(RandomnessError) -> SigningKeys {
    let entry = try Self.newEntry(.signing, nowSeconds: nil, random: random)
    return with([entry] + entries.prefix(max(0, keptMax)).map { $0.entering(.retired, nowSeconds: nil) })
  }

  // MARK: Steps

  /// The keys with plausible dates. An unknown date becomes now; so does a date far ahead of a key in use, which a
  /// wrong clock has written: rotation would wait for that day. Retired keys keep such a date: if today's clock is the
  /// wrong one, they would be dropped as soon as it is right again.
  private func stamped(nowSeconds: Int64) -> SigningKeys {
    func plausible(_ seconds: Int64?, _ state: KeyState) -> Int64 {
      guard let seconds, state == .retired || seconds - nowSeconds <= KeySchedule.clockStepSeconds else {
        return nowSeconds
      }
      return seconds
    }
    return with(
      entries.map { entry in
        var entry = entry
        entry.createdAtSeconds = plausible(entry.createdAtSeconds, entry.state)
        entry.sinceSeconds = plausible(entry.sinceSeconds, entry.state)
        return entry
      })
  }

  /// The keys with one that will sign next.
  private func announced(nowSeconds: Int64?, random: RandomBytes) throws(RandomnessError) -> SigningKeys {
    guard next == nil else { return self }
    let entry = try Self.newEntry(.next, nowSeconds: nowSeconds, random: random)
    return with([entry] + entries.prefix(TokenLimits.signingKeysMax - 1))
  }

  /// The keys with the next one signing and the former one retired.
  private func promoted(nowSeconds: Int64?) -> SigningKeys {
    guard let next else { return self }
    return with(
      [next.entering(.signing, nowSeconds: nowSeconds), signing.entering(.retired, nowSeconds: nowSeconds)] + retired)
  }

  /// The keys without those whose last token has ended.
  private func pruned(nowSeconds: Int64) -> SigningKeys {
    with(
      entries.filter { entry in
        entry.state != .retired || !entry.isInState(for: KeySchedule.retiredSeconds, nowSeconds: nowSeconds)
      })
  }

  /// Makes keys of the entries. The steps above keep one signing key and the order, so the initialiser has nothing to
  /// refuse.
  private func with(_ entries: [Entry]) -> SigningKeys { SigningKeys(entries: entries) ?? self }
}

/// The times of a signing key's life.
public enum KeySchedule {
  /// The time that a key signs.
  public static let signingSeconds: Int64 = 30 * 86_400
  /// The time that verifiers may cache the published keys: a new key is published that long before it signs.
  public static let publicationSeconds: Int64 = 3_600
  /// The plausible lead of a date: one further ahead was not written by this clock.
  static let clockStepSeconds: Int64 = 86_400
  /// The time that a key verifies after it has signed last: the longest life of a token, and our clock's step.
  public static let retiredSeconds = TokenLimits.signedLifetimeSecondsMax + TokenLimits.ownClockSkewSeconds
}

extension SigningKeys.Entry {
  fileprivate func isInState(for seconds: Int64, nowSeconds: Int64) -> Bool {
    guard let sinceSeconds else { return false }
    let (age, overflow) = nowSeconds.subtractingReportingOverflow(sinceSeconds)
    return !overflow && age >= seconds
  }

  fileprivate func entering(_ state: KeyState, nowSeconds: Int64?) -> SigningKeys.Entry {
    var entry = self
    entry.state = state
    entry.sinceSeconds = nowSeconds
    return entry
  }
}
