import HearthAccounts
import HearthTree

/// The endpoints about the project that clients call before a sign-in.
struct ProjectEndpoints: EndpointGroup {
  let accounts: Accounts

  /// `getProjectConfig`: returns the project's configuration; an app on a device also checks its own registration.
  ///
  /// - Throws: `invalidAppID`, `invalidOAuthClient`, `invalidCertificate` for an unregistered app.
  func project(_ call: IdentityCall) async throws(AccountError) -> JSON {
    let settings = accounts.configuration
    var domains = settings.authorizedDomains
    if !settings.isEmulator {
      try checkApp(call)
      // Native SDKs read the pages' own domain from here.
      for host in settings.pageHosts where !domains.contains(host) { domains.append(host) }
    }
    return .object([
      JSON.Member("projectId", .string(settings.projectNumber)),
      JSON.Member("authorizedDomains", .array(domains.map { .string($0) })),
    ])
  }

  private func checkApp(_ call: IdentityCall) throws(AccountError) {
    let apps = accounts.configuration.nativeApps
    let (bundleID, appID) = (try call.text("iosBundleId"), try call.text("firebaseAppId"))
    let (packageName, certificate) = (try call.text("androidPackageName"), try call.text("sha1Cert"))
    let clientID = try call.text("clientId")
    do throws(NativeApps.Refusal) {
      if let bundleID { try apps.check(bundleID: bundleID, appID: appID, clientID: clientID) }
      if let packageName { try apps.check(packageName: packageName, certificate: certificate) }
    } catch {
      switch error {
      case .unknownApp:
        throw AccountError(.invalidAppID, "The app is not registered. Add it to nativeApps in the server's settings.")
      case .unknownClient:
        throw AccountError(
          .invalidOAuthClient,
          "The client id is not registered. Add it to clientIDs of the app in the server's settings.")
      case .unknownCertificate:
        throw AccountError(
          .invalidCertificate,
          "The certificate is not registered. Add it to certificates of the app in the server's settings.")
      }
    }
  }

  func passwordPolicy(_ call: IdentityCall) async throws(AccountError) -> JSON {
    PasswordPolicyInfo(accounts.configuration.passwordPolicy).forClients
  }

  /// Returns an empty configuration: this server has no captcha service of that kind.
  func captcha(_ call: IdentityCall) async throws(AccountError) -> JSON { .object([]) }
}
