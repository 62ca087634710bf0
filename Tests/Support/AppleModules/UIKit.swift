// Declarations of Apple's framework UIKit, as far as the client library uses it:
// https://developer.apple.com/documentation/uikit/uiviewcontroller
// They have no content: they exist to check names and types on Linux.

@MainActor open class UIViewController {}
