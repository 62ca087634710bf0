import HearthPlugin
import HearthPluginKit

var door = PluginProgram("door", version: "1.0.0")

door.on(.beforeCreate) { (event: HookEvent, settings) -> HookVerdict in
  let domain = settings["domain"]?.string ?? ""
  guard let email = event.user.email, !domain.isEmpty, email.lowercased().hasSuffix("@" + domain.lowercased()) else {
    return .deny(message: "Accounts are for people of \(domain).")
  }
  return .allow()
}

await door.run()
