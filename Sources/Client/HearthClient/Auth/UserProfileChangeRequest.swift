import Foundation
import HearthTree

/// A change of a user's name and picture. Properties that are not set remain unchanged.
public final class UserProfileChangeRequest: Sendable {
  private struct Values: Sendable {
    /// The new name; `.none` when it is not set, `.some(nil)` to remove it.
    var displayName: String??
    var photoURL: URL??
    var isCommitted = false
  }

  let user: User
  private let values = LockedValue(Values())

  init(_ user: User) { self.user = user }

  /// The user's display name; nil removes it.
  public var displayName: String? {
    get { values.withLock { $0.displayName } ?? user.displayName }
    set { values.withLock { $0.displayName = .some(newValue) } }
  }

  /// The URL of a picture; nil removes it.
  public var photoURL: URL? {
    get { values.withLock { $0.photoURL } ?? user.photoURL }
    set { values.withLock { $0.photoURL = .some(newValue) } }
  }

  /// Sends the change. A request can be committed only once.
  public func commitChanges() async throws {
    let set = values.withLock { values in
      defer { values.isCommitted = true }
      return values
    }
    precondition(
      !set.isCommitted, "commitChanges() may be called once; make another request with createProfileChangeRequest().")
    var (fields, deleted): ([(String, JSON?)], [JSON]) = ([], [])
    switch set.displayName {
    case nil: break
    case .some(nil): deleted.append(.string("DISPLAY_NAME"))
    case .some(.some(let name)): fields.append(("displayName", .string(name)))
    }
    switch set.photoURL {
    case nil: break
    case .some(nil): deleted.append(.string("PHOTO_URL"))
    case .some(.some(let url)): fields.append(("photoUrl", .string(url.absoluteString)))
    }
    guard !fields.isEmpty || !deleted.isEmpty else { return }
    if !deleted.isEmpty { fields.append(("deleteAttribute", .array(deleted))) }
    try await user.change(fields)
  }
}
