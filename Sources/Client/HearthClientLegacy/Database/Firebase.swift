import Dispatch
import Foundation
import HearthClient

/// A location in a database, with the API of version 2 of Firebase's SDK.
public final class Firebase: FQuery, @unchecked Sendable {
  let reference: DatabaseReference

  init(_ reference: DatabaseReference) {
    self.reference = reference
    super.init(reference)
  }

  /// Creates the location of a URL: `https://name.example.com/users/fred`. An invalid URL ends the program.
  public convenience init(url: String) {
    guard let app = FirebaseApp.of(url) else { fatalError("Firebase(url: \(url)): that is no URL of a database.") }
    self.init(app.database.reference(fromURL: url))
  }

  // MARK: Locations

  /// Returns the location at a path below.
  public func childByAppendingPath(_ pathString: String) -> Firebase { Firebase(reference.child(pathString)) }

  /// Returns a new child, whose key sorts after earlier ones.
  public func childByAutoId() -> Firebase { Firebase(reference.childByAutoId()) }

  /// The parent location; nil at the root.
  public var parent: Firebase? { reference.parent.map { Firebase($0) } }

  /// The root.
  public var root: Firebase { Firebase(reference.root) }

  /// The last key of the path; nil at the root.
  public var key: String! { reference.key }

  /// The database.
  public var app: FirebaseApp {
    guard let app = FirebaseApp.of(reference.database) else {
      preconditionFailure("Every reference comes from an app.")
    }
    return app
  }

  /// The URL of the location.
  public override var description: String { reference.url }

  // MARK: Settings

  /// Returns the settings of all databases, to be made before the first reference is created.
  public static func defaultConfig() -> FConfig { FConfig.shared }

  /// Sets the queue on which blocks are called; use ``FConfig/callbackQueue``.
  public static func setDispatchQueue(_ queue: DispatchQueue) { FConfig.shared.callbackQueue = queue }

  /// Sets an option: `persistence` with `true` stores data on disk; use ``FConfig/persistenceEnabled``. There is no
  /// other option.
  public static func setOption(_ option: String, to value: Any?) {
    precondition(option == "persistence", "setOption: there is no option \(option); persistence is the only one.")
    FConfig.shared.persistenceEnabled = (value as? Bool) ?? (value as? NSNumber)?.boolValue ?? false
  }

  /// The version of this library.
  public static func sdkVersion() -> String { Database.sdkVersion() }

  /// Disconnects all databases, until ``goOnline()``.
  public static func goOffline() { for app in FirebaseApp.allApps { app.goOffline() } }

  /// Connects all databases again.
  public static func goOnline() { for app in FirebaseApp.allApps { app.goOnline() } }
}
