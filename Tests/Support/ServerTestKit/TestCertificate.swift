import NIOSSL

import struct Foundation.Data
import struct Foundation.URL

/// A self-signed certificate for `localhost` and its key. Both are public, and only for these tests.
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

  /// A second certificate with its own key, which expires at 2031-01-01T13:00:42Z: for tests with a simulated clock.
  package static let expiringPEM = """
    -----BEGIN CERTIFICATE-----
    MIIBmTCCAT+gAwIBAgIUZEGqHzZeJYkzgub/ffdSXtIdaXAwCgYIKoZIzj0EAwIw
    FDESMBAGA1UEAwwJbG9jYWxob3N0MB4XDTI2MTEyMzEzMDA0MloXDTMxMDEwMTEz
    MDA0MlowFDESMBAGA1UEAwwJbG9jYWxob3N0MFkwEwYHKoZIzj0CAQYIKoZIzj0D
    AQcDQgAEYVpaz/LBZqfUPix+I2FBDe5ZhXeqVRfwFECyvzEBxs9h+4Zr2ucpTL7f
    WgvkCmPewh2uwbXk7MhLWDKSI64ikqNvMG0wHQYDVR0OBBYEFPR6DElwV4Jlwex2
    Yc3SpwohlLjzMB8GA1UdIwQYMBaAFPR6DElwV4Jlwex2Yc3SpwohlLjzMA8GA1Ud
    EwEB/wQFMAMBAf8wGgYDVR0RBBMwEYIJbG9jYWxob3N0hwR/AAABMAoGCCqGSM49
    BAMCA0gAMEUCIQDmA37G8ZRY+x/Ru0U1/AcqoGfDfcoJz89LIKT6Yc5WvQIgQ/kp
    BrKL2HIsHzfES5pPon7dSMTlM/rxerGOropXON8=
    -----END CERTIFICATE-----
    """

  package static let expiringKeyPEM = """
    -----BEGIN PRIVATE KEY-----
    MIGHAgEAMBMGByqGSM49AgEGCCqGSM49AwEHBG0wawIBAQQgqztfoA4wmUjai2RU
    AZeurKtnBWMogvJxxV2SrUaZssOhRANCAARhWlrP8sFmp9Q+LH4jYUEN7lmFd6pV
    F/AUQLK/MQHGz2H7hmva5ylMvt9aC+QKY97CHa7BteTsyEtYMpIjriKS
    -----END PRIVATE KEY-----
    """

  /// The paths of the first certificate and its key as files, which exist as long as the process runs.
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

  /// Returns a client context that trusts only the test certificate.
  package static func clientContext() throws -> NIOSSLContext {
    var configuration = TLSConfiguration.makeClientConfiguration()
    configuration.trustRoots = .certificates([try certificate()])
    return try NIOSSLContext(configuration: configuration)
  }

  private static func certificate() throws -> NIOSSLCertificate {
    try NIOSSLCertificate(bytes: Array(certificatePEM.utf8), format: .pem)
  }
}
