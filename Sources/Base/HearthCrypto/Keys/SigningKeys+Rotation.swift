/// The rotation of signing keys: a key is published an hour before it signs, signs for thirty days, and verifies until
/// the longest-lived token that it can have signed has expired.
extension SigningKeys {
  /// The key that will sign next; nil when there is none.
  var next: Entry? { entries.first { $0.state == .next } }
  private var retired: [Entry] { entries.filter { $0.state == .retired } }

  /// Returns the keys after the rotation steps that are due; nil when none is due.
  func rotatedIfDue(nowSeconds: Int64, random: RandomBytes) throws(RandomnessError) -> SigningKeys? {
    // A time that the file's format cannot express would make the file unreadable.
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

  /// Returns the keys after a rotation by the operator. When it is not urgent, the new key is published first, and
  /// begins to sign an hour later by ``rotatedIfDue(nowSeconds:random:)``. When it is urgent, a new key signs at once;
  /// a published next key is removed, because it was in the same file as the possibly compromised one.
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

  /// Returns the keys without one of them, whose signatures become invalid. When it was the signing key, another key
  /// becomes the signing key.
  func removing(id: String, random: RandomBytes) throws(RandomnessError) -> SigningKeys {
    var keys = self
    if signing.id.hasSameBytes(as: id) {
      keys = try announced(nowSeconds: nil, random: random).promoted(nowSeconds: nil)
    }
    return keys.with(keys.entries.filter { !$0.id.hasSameBytes(as: id) })
  }

  /// Returns the keys with a new one that signs at once.
  func rotated(random: RandomBytes, keeping keptMax: Int = 3) throws(RandomnessError) -> SigningKeys {
    let entry = try Self.newEntry(.signing, nowSeconds: nil, random: random)
    return with([entry] + entries.prefix(max(0, keptMax)).map { $0.entering(.retired, nowSeconds: nil) })
  }

  // MARK: Steps

  /// Returns the keys with plausible dates. An unknown date becomes the current time. So does a date far in the future
  /// of a key in use, which a wrong clock has written, because the rotation would wait for that date. Retired keys keep
  /// such a date: if the current clock is the wrong one, they would be removed as soon as it is corrected.
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

  /// Returns the keys with a new one in the state `next`.
  private func announced(nowSeconds: Int64?, random: RandomBytes) throws(RandomnessError) -> SigningKeys {
    guard next == nil else { return self }
    let entry = try Self.newEntry(.next, nowSeconds: nowSeconds, random: random)
    return with([entry] + entries.prefix(TokenLimits.signingKeysMax - 1))
  }

  /// Returns the keys after the next one has become the signing key and the former one retired.
  private func promoted(nowSeconds: Int64?) -> SigningKeys {
    guard let next else { return self }
    return with(
      [next.entering(.signing, nowSeconds: nowSeconds), signing.entering(.retired, nowSeconds: nowSeconds)] + retired)
  }

  /// Returns the keys without the retired ones whose last token has expired.
  private func pruned(nowSeconds: Int64) -> SigningKeys {
    with(
      entries.filter { entry in
        entry.state != .retired || !entry.isInState(for: KeySchedule.retiredSeconds, nowSeconds: nowSeconds)
      })
  }

  /// Creates keys from entries. The steps above keep exactly one signing key and the order, so the initialiser does not
  /// fail.
  private func with(_ entries: [Entry]) -> SigningKeys { SigningKeys(entries: entries) ?? self }
}

/// The durations of a signing key's states.
public enum KeySchedule {
  /// The time for which a key signs, in seconds.
  public static let signingSeconds: Int64 = 30 * 86_400
  /// The time for which verifiers may cache the published keys, in seconds. A new key is published this long before it
  /// signs.
  public static let publicationSeconds: Int64 = 3_600
  /// The most seconds by which a date may be in the future; a later date was written by a wrong clock.
  static let clockStepSeconds: Int64 = 86_400
  /// The time for which a key verifies after its last signature, in seconds: the longest lifetime of a token, plus the
  /// tolerance for a step of the server's clock.
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
