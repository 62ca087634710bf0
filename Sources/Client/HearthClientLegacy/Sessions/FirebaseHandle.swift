/// The identifier of an observer, for ``FQuery/removeObserverWithHandle(_:)`` and
/// ``Firebase/removeAuthEventObserverWithHandle(_:)``.
public typealias FirebaseHandle = UInt
