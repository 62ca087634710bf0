import Foundation
import ServerTestKit
import Testing

@testable import HearthTransport

/// Tests of certificates that are renewed while a server runs, with a simulated clock.
@Suite struct CertificateReloaderTests {
  /// A certificate file and a key file with a reloader on them.
  private final class Renewal {
    let folder: TemporaryFolder
    let watch: CertificateReloader
    /// Seconds since 1970, long before both certificates expire.
    var now: Int64 = 1_800_000_000

    init() throws {
      folder = try TemporaryFolder()
      try Self.write(TestCertificate.certificatePEM, folder.path + "/cert")
      try Self.write(TestCertificate.keyPEM, folder.path + "/key")
      watch = try CertificateReloader(
        TLSFiles(certificatePath: folder.path + "/cert", keyPath: folder.path + "/key"))
    }

    /// Replaces a file, as renewals do.
    private static func write(_ text: String, _ path: String) throws {
      try text.write(toFile: path, atomically: true, encoding: .utf8)
    }

    func certificate(_ text: String) throws { try Self.write(text, folder.path + "/cert") }
    func key(_ text: String) throws { try Self.write(text, folder.path + "/key") }
    func remove(_ name: String) throws { try FileManager.default.removeItem(atPath: folder.path + "/" + name) }

    func check(after seconds: Int64 = 3, isRequested: Bool = false) -> [CertificateReloader.Notice] {
      now += seconds
      return watch.check(nowSeconds: now, isRequested: isRequested)
    }
  }

  /// The certificate's validity, which ends at 2031-01-01T13:00:42Z.
  private static let ending = CertificateValidity(notBeforeSeconds: 1_795_438_842, notAfterSeconds: 1_925_038_842)

  @Test("a renewed pair is used after the second check that finds it, and logged once")
  func renewal() throws {
    let renewal = try Renewal()
    #expect(renewal.check() == [])
    let former = renewal.watch.served.current
    try renewal.certificate(TestCertificate.expiringPEM)
    try renewal.key(TestCertificate.expiringKeyPEM)
    #expect(renewal.check() == [] && renewal.watch.served.current === former)
    #expect(renewal.check() == [.replaced(Self.ending)])
    #expect(renewal.watch.served.current !== former && renewal.watch.validity == Self.ending)
    #expect(renewal.check() == [] && renewal.check() == [])
  }

  @Test("a pair of files is loaded after both were replaced")
  func halves() throws {
    let renewal = try Renewal()
    try renewal.certificate(TestCertificate.expiringPEM)
    #expect(renewal.check() == [])
    try renewal.key(TestCertificate.expiringKeyPEM)
    #expect(renewal.check() == [])
    #expect(renewal.check() == [.replaced(Self.ending)])
  }

  @Test(
    "unusable files leave the certificate in force and are logged once; later ones are loaded",
    arguments: ["no certificate", "no key", "half a certificate", "another key", "no file", "a pipe", "a large file"])
  func broken(how: String) throws {
    let renewal = try Renewal()
    let former = renewal.watch.served.current
    switch how {
    case "no certificate": try renewal.certificate("nothing")
    case "no key": try renewal.key("nothing")
    case "half a certificate": try renewal.certificate(String(TestCertificate.expiringPEM.prefix(200)))
    case "another key": try renewal.key(TestCertificate.expiringKeyPEM)
    case "a pipe":
      // The pipe has no writer, so a reader waits.
      try renewal.remove("key")
      #expect(mkfifo(renewal.folder.path + "/key", 0o600) == 0)
    case "a large file": try renewal.certificate(TestCertificate.expiringPEM + String(repeating: " ", count: 1 << 20))
    default: try renewal.remove("cert")
    }
    #expect(renewal.check() == [])
    let notices = renewal.check()
    guard case .refused(let reason)? = notices.first, notices.count == 1 else {
      Issue.record("\(notices)")
      return
    }
    #expect(reason.contains(renewal.folder.path), "\(reason)")
    #expect(renewal.check() == [] && renewal.watch.served.current === former)
    try renewal.certificate(TestCertificate.expiringPEM)
    try renewal.key(TestCertificate.expiringKeyPEM)
    #expect(renewal.check() == [])
    #expect(renewal.check() == [.replaced(Self.ending)])
  }

  @Test("a reload signal is handled at once, also without a change and after an equal refusal")
  func asked() throws {
    let renewal = try Renewal()
    let former = renewal.watch.served.current
    #expect(renewal.check(isRequested: true) == [.replaced(renewal.watch.validity)])
    #expect(renewal.watch.served.current !== former)
    try renewal.key("nothing")
    for _ in 0..<2 {
      guard case .refused? = renewal.check(isRequested: true).first else {
        Issue.record("it was not refused")
        return
      }
    }
    try renewal.certificate(TestCertificate.expiringPEM)
    try renewal.key(TestCertificate.expiringKeyPEM)
    #expect(renewal.check(isRequested: true) == [.replaced(Self.ending)])
  }

  @Test("an expired certificate does not replace a valid one, but replaces another expired one")
  func ended() throws {
    let renewal = try Renewal()
    try renewal.certificate(TestCertificate.expiringPEM)
    try renewal.key(TestCertificate.expiringKeyPEM)
    renewal.now = Self.ending.notAfterSeconds
    #expect(renewal.check() == [])
    #expect(renewal.check() == [.refused("the new certificate has expired, and the one in use has not")])
    let inForce = renewal.watch.validity
    #expect(inForce.notAfterSeconds > Self.ending.notAfterSeconds)
    renewal.now = inForce.notAfterSeconds + 1
    #expect(renewal.check(isRequested: true) == [.replaced(Self.ending), .ending(Self.ending)])
  }

  @Test("a certificate that expires in two weeks is logged daily until it is renewed")
  func endingSoon() throws {
    let renewal = try Renewal()
    try renewal.certificate(TestCertificate.expiringPEM)
    try renewal.key(TestCertificate.expiringKeyPEM)
    _ = renewal.check()
    #expect(renewal.check() == [.replaced(Self.ending)])
    renewal.now = Self.ending.notAfterSeconds - CertificateReloader.expiryNoticeSeconds
    #expect(renewal.check(after: 0) == [])
    #expect(renewal.check(after: 1) == [.ending(Self.ending)])
    #expect(renewal.check(after: 86_399) == [])
    #expect(renewal.check(after: 1) == [.ending(Self.ending)])
    try renewal.certificate(TestCertificate.certificatePEM)
    try renewal.key(TestCertificate.keyPEM)
    _ = renewal.check()
    #expect(renewal.check().count == 1)
    #expect(renewal.check(after: 86_400) == [])
  }
}
