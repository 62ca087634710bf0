import HearthAccounts
import HearthTree

/// What clients ask about the project before they sign anybody in.
struct ProjectEndpoints: EndpointArea {
  let accounts: Accounts

  /// `getProjectConfig`: an app on a device also asks whether it is one of the project's.
  ///
  /// - Throws: `invalidAppID`, `invalidOAuthClient`, `invalidCertificate` for one that is not.
  func project(_ call: IdentityCall) async throws(AccountError) -> JSON {
    let settings = accounts.configuration
    var domains = settings.authorizedDomains
    if !settings.isEmulator {
      try checkApp(call)
      // Native SDKs take the pages' own domain from here.
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
        throw AccountError(.invalidAppID, "The app is not among nativeApps in the server's settings.")
      case .unknownClient:
        throw AccountError(
          .invalidOAuthClient, "The client id is not among clientIDs of the app in the server's settings.")
      case .unknownCertificate:
        throw AccountError(
          .invalidCertificate, "The certificate is not among certificates of the app in the server's settings.")
      }
    }
  }

  func passwordPolicy(_ call: IdentityCall) async throws(AccountError) -> JSON {
    PasswordPolicyInfo(accounts.configuration.passwordPolicy).forClients
  }

  /// No captcha is asked for: there is no service of that kind to ask.
  func captcha(_ call: IdentityCall) async throws(AccountError) -> JSON { .object([]) }
}
