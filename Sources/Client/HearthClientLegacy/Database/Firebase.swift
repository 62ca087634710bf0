import Dispatch
import Foundation
import HearthClient

/// A place in a database, as version 2 of Firebase's SDK has it.
public final class Firebase: FQuery, @unchecked Sendable {
  let reference: DatabaseReference

  init(_ reference: DatabaseReference) {
    self.reference = reference
    super.init(reference)
  }

  /// The place at a URL: `https://name.example.com/users/fred`. A text that is none ends the program.
  public convenience init(url: String) {
    guard let app = FirebaseApp.of(url) else { fatalError("Firebase(url: \(url)): that is no URL of a database.") }
    self.init(app.database.reference(fromURL: url))
  }

  // MARK: Places

  /// The place at a path below.
  public func childByAppendingPath(_ pathString: String) -> Firebase { Firebase(reference.child(pathString)) }

  /// Returns a new child, whose key sorts after earlier ones.
  public func childByAutoId() -> Firebase { Firebase(reference.childByAutoId()) }

  /// The place above; nil at the root.
  public var parent: Firebase? { reference.parent.map { Firebase($0) } }

  /// The root.
  public var root: Firebase { Firebase(reference.root) }

  /// The last part of the path; nil at the root.
  public var key: String! { reference.key }

  /// The database.
  public var app: FirebaseApp {
    guard let app = FirebaseApp.of(reference.database) else {
      preconditionFailure("Every reference comes from an app.")
    }
    return app
  }

  /// The place's URL.
  public override var description: String { reference.url }

  // MARK: Settings

  /// The settings of all databases, to be made before the first reference is.
  public static func defaultConfig() -> FConfig { FConfig.shared }

  /// Returns the place where blocks are called; use ``FConfig/callbackQueue``.
  public static func setDispatchQueue(_ queue: DispatchQueue) { FConfig.shared.callbackQueue = queue }

  /// `persistence` with `true` keeps data on disk; use ``FConfig/persistenceEnabled``. There is no other option.
  public static func setOption(_ option: String, to value: Any?) {
    precondition(option == "persistence", "setOption: there is no option \(option); persistence is the only one.")
    FConfig.shared.persistenceEnabled = (value as? Bool) ?? (value as? NSNumber)?.boolValue ?? false
  }

  /// The version of this library.
  public static func sdkVersion() -> String { Database.sdkVersion() }

  /// Disconnects all databases, until ``goOnline()``.
  public static func goOffline() { for app in FirebaseApp.everyone { app.goOffline() } }

  /// Connects all databases again.
  public static func goOnline() { for app in FirebaseApp.everyone { app.goOnline() } }
}
