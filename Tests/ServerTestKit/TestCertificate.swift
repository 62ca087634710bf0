import NIOSSL

import struct Foundation.Data
import struct Foundation.URL

/// A self-signed certificate for `localhost`, and its key. They are public: good for nothing but these tests.
package enum TestCertificate {
  package static let certificatePEM = """
    -----BEGIN CERTIFICATE-----
    MIIBmzCCAUGgAwIBAgIUcxGge11GBMpcy0/hcpYRaCmfpJcwCgYIKoZIzj0EAwIw
    FDESMBAGA1UEAwwJbG9jYWxob3N0MCAXDTI2MTEyMTA0MTcyMloYDzIxMjYxMDI4
    MDQxNzIyWjAUMRIwEAYDVQQDDAlsb2NhbGhvc3QwWTATBgcqhkjOPQIBBggqhkjO
    PQMBBwNCAARGrDuXdt47I2SefHr+emFoplCe6jLeuGTyShUM0obU/r1mqoaMAwfA
    R+A5PV19ChmVWGlwnhmGKkmFLQH97DNDo28wbTAdBgNVHQ4EFgQUyW7MkU/l6uDI
    +J6DyD8kQTrOdcowHwYDVR0jBBgwFoAUyW7MkU/l6uDI+J6DyD8kQTrOdcowDwYD
    VR0TAQH/BAUwAwEB/zAaBgNVHREEEzARgglsb2NhbGhvc3SHBH8AAAEwCgYIKoZI
    zj0EAwIDSAAwRQIhAPF2RquxR5gZFazFwoUFyyNSI+8W1HFo7aiMwfxjSxSSAiAb
    i2Dihbn0VzbCqjZpqBF4ObJFGJgu9+K+BFOh5JR9RA==
    -----END CERTIFICATE-----
    """

  package static let keyPEM = """
    -----BEGIN PRIVATE KEY-----
    MIGHAgEAMBMGByqGSM49AgEGCCqGSM49AwEHBG0wawIBAQQgooPz/onufmxwX9X4
    SbuY54k0cYmgmbnG2/Dy/zDG1VyhRANCAARGrDuXdt47I2SefHr+emFoplCe6jLe
    uGTyShUM0obU/r1mqoaMAwfAR+A5PV19ChmVWGlwnhmGKkmFLQH97DND
    -----END PRIVATE KEY-----
    """

  /// The two in files, which are there as long as the process is.
  package static let files = Result {
    let folder = try TemporaryFolder()
    let paths = (certificate: folder.path + "/cert.pem", key: folder.path + "/key.pem", folder: folder)
    try Data(certificatePEM.utf8).write(to: URL(fileURLWithPath: paths.certificate))
    try Data(keyPEM.utf8).write(to: URL(fileURLWithPath: paths.key))
    return paths
  }

  package static func serverContext() throws -> NIOSSLContext {
    try NIOSSLContext(
      configuration: .makeServerConfiguration(
        certificateChain: [.certificate(try certificate())],
        privateKey: .privateKey(try NIOSSLPrivateKey(bytes: Array(keyPEM.utf8), format: .pem))))
  }

  /// Trusts that certificate only.
  package static func clientContext() throws -> NIOSSLContext {
    var configuration = TLSConfiguration.makeClientConfiguration()
    configuration.trustRoots = .certificates([try certificate()])
    return try NIOSSLContext(configuration: configuration)
  }

  private static func certificate() throws -> NIOSSLCertificate {
    try NIOSSLCertificate(bytes: Array(certificatePEM.utf8), format: .pem)
  }
}
