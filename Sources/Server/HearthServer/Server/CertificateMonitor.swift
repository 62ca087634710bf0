import HearthGateway
import HearthTransport
import HearthTree
import Logging

/// Looks at the certificate's files every few seconds and tells the operator what becomes of them.
struct CertificateMonitor: Sendable {
  /// Two looks make a change: it is in force after at most twice as long.
  static let intervalSeconds = 3

  private let watch: CertificateWatch
  private let logger: Logger
  private let task: PeriodicTask

  init(_ watch: CertificateWatch, logger: Logger) {
    (self.watch, self.logger) = (watch, logger)
    task = PeriodicTask(every: .seconds(Self.intervalSeconds)) { await Self.look(watch, logger, isAsked: false) }
  }

  /// The time when the certificate in force counts.
  var validity: CertificateValidity { watch.validity }

  /// Reads the files as they are.
  func lookNow() async { await Self.look(watch, logger, isAsked: true) }

  func stop() async { await task.stop() }

  private static func look(_ watch: CertificateWatch, _ logger: Logger, isAsked: Bool) async {
    let nowSeconds = SystemClock.now.wallMilliseconds / 1000
    let notices = await BlockingThread.run { watch.look(nowSeconds: nowSeconds, isAsked: isAsked) }
    for notice in notices { log(notice, nowSeconds: nowSeconds, logger) }
  }

  static func log(_ notice: CertificateWatch.Notice, nowSeconds: Int64, _ logger: Logger) {
    switch notice {
    case .replaced(let validity):
      logger.notice(
        "the certificate was read again: new connections get it", metadata: ["until": "\(Self.time(validity))"])
    case .refused(let reason):
      logger.error("the certificate's files cannot be used; what was in force stays", metadata: ["reason": "\(reason)"])
    case .ending(let validity) where validity.notAfterSeconds < nowSeconds:
      logger.error("the certificate has ended: clients refuse it", metadata: ["until": "\(Self.time(validity))"])
    case .ending(let validity):
      logger.warning("the certificate ends soon and was not renewed", metadata: ["until": "\(Self.time(validity))"])
    }
  }

  private static func time(_ validity: CertificateValidity) -> String {
    // A certificate's years have four digits.
    Timestamp.text(milliseconds: validity.notAfterSeconds * 1000)
  }
}
