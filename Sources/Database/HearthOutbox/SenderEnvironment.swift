import HearthOutbound
import HearthPlugin
import HearthTriggers

/// What a sender needs of the world around it.
public struct SenderEnvironment: Sendable {
  /// Now, in milliseconds since 1970.
  public var clock: @Sendable () -> Int64
  /// A random number from 0 to 1.
  public var chance: @Sendable () -> Double
  /// Runs the work once, on any thread, after that many milliseconds. Being late is harmless.
  public var schedule: @Sendable (_ afterMilliseconds: Int64, _ work: @escaping @Sendable () -> Void) -> Void
  /// The way out to hosts of that policy.
  public var client: @Sendable (OutboundPolicy) -> any OutboundHTTP
  /// The plugin of that name that takes events; nil when none runs.
  public var receiver: @Sendable (_ plugin: String) -> (any WriteReceiver)?
  /// The id of the project that users are of.
  public var project: String
  /// The host under which functions' own libraries find databases: a name, and a port that is not the usual one.
  public var host: String
  /// Events of one trigger that wait in one database.
  public var waitingEventsMax = TriggerLimits.waitingEventsMax
  /// Bytes of them.
  public var waitingBytesMax = TriggerLimits.waitingBytesMax

  /// A world of these parts.
  public init(
    clock: @escaping @Sendable () -> Int64, chance: @escaping @Sendable () -> Double,
    schedule: @escaping @Sendable (_ afterMilliseconds: Int64, _ work: @escaping @Sendable () -> Void) -> Void,
    client: @escaping @Sendable (OutboundPolicy) -> any OutboundHTTP,
    receiver: @escaping @Sendable (_ plugin: String) -> (any WriteReceiver)? = { _ in nil }, project: String,
    host: String
  ) {
    (self.clock, self.chance, self.schedule, self.client) = (clock, chance, schedule, client)
    (self.receiver, self.project, self.host) = (receiver, project, host)
  }
}

/// Something about a trigger that whoever keeps the registrations should know.
public enum TriggerNotice: Sendable, Equatable {
  /// The receiver is gone for good: status 410.
  case gone(trigger: String)
  /// The receiver does not know the function: status 404.
  case unknownFunction(trigger: String)
}
