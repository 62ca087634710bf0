import HearthOutbound
import HearthPlugin
import HearthTriggers

/// The sender's access to clock, timers, HTTP clients and plugins.
public struct SenderEnvironment: Sendable {
  /// Returns the time in milliseconds since 1970.
  public var clock: @Sendable () -> Int64
  /// Returns a random number from 0 to 1.
  public var chance: @Sendable () -> Double
  /// Runs the work once, on any thread, after `afterMilliseconds` or later.
  public var schedule: @Sendable (_ afterMilliseconds: Int64, _ work: @escaping @Sendable () -> Void) -> Void
  /// Returns an HTTP client for hosts under that policy.
  public var client: @Sendable (OutboundPolicy) -> any OutboundHTTP
  /// Returns the running plugin of that name, or nil when none runs.
  public var receiver: @Sendable (_ plugin: String) -> (any WriteReceiver)?
  /// The ID of the project that the accounts belong to.
  public var project: String
  /// The host at which the client libraries in functions reach the databases: a name, with the port if it is not the
  /// default.
  public var host: String
  /// The most waiting events of one trigger in one database.
  public var waitingEventsMax = TriggerLimits.waitingEventsMax
  /// The most bytes of one trigger's waiting events in one database.
  public var waitingBytesMax = TriggerLimits.waitingBytesMax

  /// Creates an environment.
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

/// A notice that a trigger's registration should be changed.
public enum TriggerNotice: Sendable, Equatable {
  /// The receiver answered with status 410: it is permanently gone.
  case gone(trigger: String)
  /// The receiver answered with status 404: it does not know the function.
  case unknownFunction(trigger: String)
}
