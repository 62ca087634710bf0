import HearthGateway
import HearthTransport
import HearthTree
import Logging

/// A monitor that checks the certificate's files every few seconds and reports changes to the operator.
struct CertificateMonitor: Sendable {
  /// The seconds between two checks. A change is in force after two of them.
  static let intervalSeconds = 3

  private let reloader: CertificateReloader
  private let logger: Logger
  private let task: PeriodicTask

  init(_ reloader: CertificateReloader, logger: Logger) {
    (self.reloader, self.logger) = (reloader, logger)
    task = PeriodicTask(every: .seconds(Self.intervalSeconds)) {
      await Self.check(reloader, logger, isRequested: false)
    }
  }

  /// The validity of the certificate in force.
  var validity: CertificateValidity { reloader.validity }

  /// Reads the files at once.
  func reloadNow() async { await Self.check(reloader, logger, isRequested: true) }

  func stop() async { await task.stop() }

  private static func check(_ reloader: CertificateReloader, _ logger: Logger, isRequested: Bool) async {
    let nowSeconds = SystemClock.now.wallMilliseconds / 1000
    let notices = await BlockingThread.run { reloader.check(nowSeconds: nowSeconds, isRequested: isRequested) }
    for notice in notices { log(notice, nowSeconds: nowSeconds, logger) }
  }

  static func log(_ notice: CertificateReloader.Notice, nowSeconds: Int64, _ logger: Logger) {
    switch notice {
    case .replaced(let validity):
      logger.notice(
        "the certificate was reloaded; new connections use it", metadata: ["until": "\(Self.time(validity))"])
    case .refused(let reason):
      logger.error(
        "the certificate's files cannot be used; the previous certificate stays in use",
        metadata: ["reason": "\(reason)"])
    case .ending(let validity) where validity.notAfterSeconds < nowSeconds:
      logger.error("the certificate has expired; clients refuse it", metadata: ["until": "\(Self.time(validity))"])
    case .ending(let validity):
      logger.warning("the certificate expires soon and was not renewed", metadata: ["until": "\(Self.time(validity))"])
    }
  }

  private static func time(_ validity: CertificateValidity) -> String {
    // A certificate's years have four digits.
    Timestamp.text(milliseconds: validity.notAfterSeconds * 1000)
  }
}
