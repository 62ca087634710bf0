import CoreMetrics
import HearthDatabase
import HearthGateway
import HearthMetrics
import HearthSystem
import HearthTransport

/// The metrics of each part of a server.
struct ServerMeters: Sendable {
  let databases: DatabaseMetrics
  let gateway: GatewayMeters
  let transport: TransportMeters

  /// Creates the metrics on the machine's monotonic clock.
  init(_ factory: any MetricsFactory) {
    let clock: @Sendable () -> UInt64 = { Clock.monotonicNanoseconds }
    databases = DatabaseMetrics(factory, nanoseconds: clock)
    gateway = GatewayMeters(factory, nanoseconds: clock)
    transport = TransportMeters(factory, nanoseconds: clock)
  }
}
