import HearthTree

/// The triggers of one database, which determine the events of a commit.
public struct TriggerSet: Sendable {
  /// A trigger without its target and delivery options.
  public struct Member: Sendable {
    /// The trigger's name.
    public var name: String
    /// The trigger's pattern.
    public var pattern: TriggerPattern
    /// The kinds of change that cause events.
    public var kinds: Set<EventKind>
    /// True when an event contains both whole values instead of a difference, or a reference when they exceed the size
    /// of an event.
    public var wantsValues: Bool

    /// Creates a member.
    public init(name: String, pattern: TriggerPattern, kinds: Set<EventKind>, wantsValues: Bool) {
      (self.name, self.pattern, self.kinds, self.wantsValues) = (name, pattern, kinds, wantsValues)
    }
  }

  /// The events of a commit.
  public struct Events: Sendable {
    /// The events with the names of their triggers, in the order of their ordinals.
    public var events: [(trigger: String, event: TriggerEvent)] = []
    /// The limit that reduced or dropped some events; nil when none did.
    public var excess: Excess?
  }

  /// A limit of triggers that a write exceeds.
  public enum Excess: Error, Sendable, Equatable {
    /// More events than ``TriggerLimits/eventsPerWriteMax``.
    case tooManyEvents
    /// An event with more than ``TriggerLimits/payloadBytesMax``.
    case payloadTooLarge

    /// The message for the writer.
    public var message: String {
      switch self {
      case .tooManyEvents:
        "The write would trigger more than \(TriggerLimits.eventsPerWriteMax) functions "
          + "(strictTriggerValidation is on)."
      case .payloadTooLarge:
        "The write would trigger a function with more than \(TriggerLimits.payloadBytesMax) bytes of data "
          + "(strictTriggerValidation is on)."
      }
    }
  }

  private let members: [Member]
  private let patterns: [TriggerPattern]

  /// Creates a set of triggers.
  public init(_ members: [Member]) {
    self.members = members
    patterns = members.map(\.pattern)
  }

  /// True when no write causes an event.
  public var isEmpty: Bool { members.isEmpty }

  /// Returns the events of a commit: one for each trigger and location.
  public func events(of change: WrittenChange) -> Events {
    var result = Events()
    var ordinal: Int32 = 0
    var walk = ChangedLocationSearch(patterns) { index, keys, old, new in
      let (member, kind) = (members[index], EventKind(old: old, new: new))
      guard member.kinds.contains(kind) else { return true }
      guard ordinal < TriggerLimits.eventsPerWriteMax else {
        result.excess = .tooManyEvents
        return false
      }
      ordinal += 1
      var payload = TriggerEvent.Payload.reference
      let text = Self.text(member, old, new)
      if text.count <= TriggerLimits.payloadBytesMax {
        payload = .text(text)
      } else if result.excess == nil {
        result.excess = .payloadTooLarge
      }
      let event = TriggerEvent(
        position: change.position, ordinal: ordinal, milliseconds: change.milliseconds, kind: kind,
        ref: keys.map(\.text).joined(separator: "/"), author: change.author, payload: payload)
      result.events.append((member.name, event))
      return true
    }
    walk.run(change)
    return result
  }

  /// Returns the limit that a change exceeds; nil when it exceeds none.
  public func excess(of change: WrittenChange) -> Excess? {
    var (count, excess): (Int, Excess?) = (0, nil)
    var walk = ChangedLocationSearch(patterns) { index, _, old, new in
      let member = members[index]
      guard member.kinds.contains(EventKind(old: old, new: new)) else { return true }
      count += 1
      if count > TriggerLimits.eventsPerWriteMax { excess = .tooManyEvents }
      // Values far below the limit need not be encoded: a byte of the tree's memory becomes at most about a dozen bytes
      // of JSON.
      let held = old.heldBytes(upTo: Self.smallBytes) + new.heldBytes(upTo: Self.smallBytes)
      if held > Self.smallBytes, Self.text(member, old, new).count > TriggerLimits.payloadBytesMax {
        excess = .payloadTooLarge
      }
      return excess == nil
    }
    walk.run(change)
    return excess
  }

  private static let smallBytes = TriggerLimits.payloadBytesMax / 64

  private static func text(_ member: Member, _ old: Node, _ new: Node) -> [UInt8] {
    member.wantsValues ? EventPayload.valuesText(old: old, new: new) : EventPayload.differenceText(old: old, new: new)
  }
}
