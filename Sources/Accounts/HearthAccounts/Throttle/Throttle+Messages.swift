import HearthEngine
import HearthSystem
import HearthTree

/// Limits for mails and text messages: each costs money, so all clients share a limit for a day.
extension Throttle {
  /// Counts one mail within the limits of the recipient, the client, its purpose, and the server; returns false above
  /// them. The response to the request is the same either way.
  ///
  /// - Parameters:
  ///   - email: the address in canonical form.
  ///   - part: the purpose. Resets are counted separately for a recipient too, so that causing other mails to an
  ///     address cannot block its owner's reset.
  ///   - isOwners: true when the address is proven, and its owner is notified of a change: only the day's limit
  ///     applies.
  func admitMail(
    to email: String, _ part: MailCategory = .other, isOwners: Bool = false, address: String, now: Instant
  ) -> Bool {
    let recipient = CounterKey(part == .reset ? .resetRecipient : .recipient, email, key: key)
    let networks = networks(address)
    let milliseconds = now.monotonicMilliseconds
    let (isAdmitted, notice) = state.withLock { state -> (Bool, AccountsNotice?) in
      // Copies of the counters, which are stored only when all of them admit the mail.
      var to = state.recipients.value(recipient) ?? RecipientCounters()
      var from = networks.map { state.networks.value($0.key) ?? NetworkCounters() }
      guard isOwners || admits(&to, &from, networks.map(\.factor), milliseconds) else { return (false, nil) }
      let toHeld = to.day.count(periodMilliseconds: Self.day, nowMilliseconds: milliseconds)
      let fromHeld = from.indices.map {
        from[$0].mailsOfDay.count(periodMilliseconds: Self.day, nowMilliseconds: milliseconds)
      }
      let room = state.mailsOfDay.room(for: part, perDay: limits.mailsPerDay, nowMilliseconds: milliseconds)
      let isAdmitted = ShareRule.admits(1, used: room.used, of: room.max) {
        Self.held($0, recipient: toHeld, networks: fromHeld)
      }
      if isAdmitted {
        to.day.add()
        state.mailsOfDay.add(part)
        state.recipients.set(recipient, to)
        for index in networks.indices {
          from[index].mailsOfDay.add()
          state.networks.set(networks[index].key, from[index])
        }
      }
      let used = state.mailsOfDay.count(nowMilliseconds: milliseconds)
      let bound = SpendingLimit(name: "mailsPerDay", used: used, max: limits.mailsPerDay)
      return (isAdmitted, state.note(bound, isRefused: !isAdmitted))
    }
    notify([notice].compactMap(\.self))
    return isAdmitted
  }

  /// Counts one mail of a recipient and of a client in their minute and hour; false above the limits.
  private func admits(
    _ to: inout RecipientCounters, _ from: inout [NetworkCounters], _ factors: [Int], _ milliseconds: Int64
  ) -> Bool {
    let perMinute = Int64(max(1, limits.mailsPerAddressPerMinute))
    let interval = Self.minute / perMinute
    guard to.minute.take(interval, capacity: perMinute * interval, at: milliseconds) == 0,
      to.hour.admit(limits.mailsPerAddressPerHour, periodMilliseconds: Self.hour, nowMilliseconds: milliseconds)
    else { return false }
    return from.indices.allSatisfy {
      from[$0].mails.admit(
        limits.mailsPerClientPerHour * factors[$0], periodMilliseconds: Self.hour, nowMilliseconds: milliseconds)
    }
  }

  private static func held(_ level: ShareRule.Level, recipient: Int, networks: [Int]) -> Int? {
    switch level {
    case .connection: return nil
    case .account: return recipient
    case .network, .site, .provider:
      let index = level.rawValue - ShareRule.Level.network.rawValue
      return networks.indices.contains(index) ? networks[index] : nil
    }
  }

  /// The limit that a refused message exceeds.
  enum MessageRefusal: Sendable, Equatable { case number, network, country, all }

  /// Counts one text message within the limits of the number, the client, the country and the server; above one of them
  /// it is counted for none.
  ///
  /// - Parameter number: E.164.
  /// - Returns: nil when it may be sent.
  func admitMessage(to number: String, country: String, address: String, now: Instant) -> MessageRefusal? {
    let numberKey = CounterKey(.message, number, key: key)
    let networks = networks(address, .messageNetwork)
    let milliseconds = now.monotonicMilliseconds
    let (refusal, notices) = state.withLock { state -> (MessageRefusal?, [AccountsNotice]) in
      // Copies of the counters, which are stored only when all of them admit the message.
      var to = state.messages.value(numberKey) ?? MessageCounters()
      var from = networks.map { state.messages.value($0.key) ?? MessageCounters() }
      var there = state.messageCountries[country] ?? MessageCounters()
      var all = state.allMessages
      let (toHeld, fromHeld) = (
        to.counts(nowMilliseconds: milliseconds), from.indices.map { from[$0].counts(nowMilliseconds: milliseconds) }
      )
      guard
        to.admit(
          perMinute: limits.messagesPerNumberPerMinute, perHour: limits.messagesPerNumberPerHour,
          perDay: limits.messagesPerNumberPerDay, nowMilliseconds: milliseconds)
      else { return (.number, []) }
      for (index, network) in networks.enumerated() {
        guard
          from[index].admit(
            perHour: limits.messagesPerClientPerHour * network.factor,
            perDay: limits.messagesPerClientPerDay * network.factor, nowMilliseconds: milliseconds)
        else { return (.network, []) }
      }
      /// Returns true when both limits leave a share for the client.
      func admits(_ counters: inout MessageCounters, perHour: Int, perDay: Int) -> Bool {
        let used = counters.counts(nowMilliseconds: milliseconds)
        return ShareRule.admits(1, used: used.hour, of: perHour) {
          Self.held($0, recipient: toHeld.hour, networks: fromHeld.map(\.hour))
        }
          && ShareRule.admits(1, used: used.day, of: perDay) {
            Self.held($0, recipient: toHeld.day, networks: fromHeld.map(\.day))
          }
      }
      let isCountryFull = !admits(
        &there, perHour: limits.messagesPerCountryPerHour, perDay: limits.messagesPerCountryPerDay)
      let isFull = !admits(&all, perHour: limits.messagesPerHour, perDay: limits.messagesPerDay)
      if !isCountryFull, !isFull {
        there.add()
        all.add()
        state.messages.set(numberKey, to)
        for index in networks.indices { state.messages.set(networks[index].key, from[index]) }
        state.messageCountries[country] = there
        state.allMessages = all
      }
      let bounds =
        countryBounds(there.counts(nowMilliseconds: milliseconds)).map { ($0, isCountryFull) }
        + messageBounds(all.counts(nowMilliseconds: milliseconds)).map { ($0, isFull) }
      let notices = bounds.compactMap { bound, isRefused in
        state.note(bound, isRefused: isRefused && bound.used >= ShareRule.unrestrictedPart(of: bound.max))
      }
      return (isCountryFull ? .country : isFull ? .all : nil, notices)
    }
    notify(notices)
    return refusal
  }

  private func countryBounds(_ counts: (hour: Int, day: Int)) -> [SpendingLimit] {
    [
      SpendingLimit(name: "messagesPerCountryPerHour", used: counts.hour, max: limits.messagesPerCountryPerHour),
      SpendingLimit(name: "messagesPerCountryPerDay", used: counts.day, max: limits.messagesPerCountryPerDay),
    ]
  }

  private func messageBounds(_ counts: (hour: Int, day: Int)) -> [SpendingLimit] {
    [
      SpendingLimit(name: "messagesPerHour", used: counts.hour, max: limits.messagesPerHour),
      SpendingLimit(name: "messagesPerDay", used: counts.day, max: limits.messagesPerDay),
    ]
  }

  /// The spending bounds with their current use; of the countries, the one with the most.
  func spending(now: Instant) -> [SpendingLimit] {
    let milliseconds = now.monotonicMilliseconds
    return state.withLock { state in
      let mails = state.mailsOfDay.count(nowMilliseconds: milliseconds)
      var most = (hour: 0, day: 0)
      for country in state.messageCountries.keys {
        guard let counts = state.messageCountries[country]?.counts(nowMilliseconds: milliseconds) else { continue }
        most = (max(most.hour, counts.hour), max(most.day, counts.day))
      }
      return [SpendingLimit(name: "mailsPerDay", used: mails, max: limits.mailsPerDay)] + countryBounds(most)
        + messageBounds(state.allMessages.counts(nowMilliseconds: milliseconds))
    }
  }
}
