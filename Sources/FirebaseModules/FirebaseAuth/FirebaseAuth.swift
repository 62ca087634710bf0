// The module's name in Firebase's SDK for Apple systems, for apps whose files stay unchanged. Those modules bring in
// Foundation, too.
@_exported import Foundation
@_exported import HearthClient
