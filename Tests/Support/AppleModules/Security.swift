// swift-format-ignore-file: AlwaysUseLowerCamelCase
// Declarations of Apple's framework Security, as far as the client library uses it:
// https://developer.apple.com/documentation/security/keychain-items
// They have no content: they exist to check names and types on Linux. Core Foundation's types are Swift's here.
import Foundation

public typealias CFTypeRef = AnyObject
public typealias CFDictionary = [String: Any]
public typealias OSStatus = Int32

// https://developer.apple.com/documentation/security/item-class-keys-and-values
public let kSecClass = "class"
public let kSecClassGenericPassword = "genp"
// https://developer.apple.com/documentation/security/item-attribute-keys-and-values
public let kSecAttrService = "svce"
public let kSecAttrAccount = "acct"
public let kSecAttrAccessGroup = "agrp"
public let kSecAttrAccessible = "pdmn"
public let kSecAttrAccessibleAfterFirstUnlock = "ck"
// https://developer.apple.com/documentation/security/ksecusedataprotectionkeychain
public let kSecUseDataProtectionKeychain = "nleg"
// https://developer.apple.com/documentation/security/item-return-result-keys
public let kSecReturnData = "r_Data"
public let kSecValueData = "v_Data"

// https://developer.apple.com/documentation/security/security-framework-result-codes
public let errSecSuccess: OSStatus = 0
public let errSecItemNotFound: OSStatus = -25300
public let errSecMissingEntitlement: OSStatus = -34018

// https://developer.apple.com/documentation/security/secitemcopymatching(_:_:)
public func SecItemCopyMatching(_ query: CFDictionary, _ result: UnsafeMutablePointer<CFTypeRef?>?) -> OSStatus {
  fatalError()
}

// https://developer.apple.com/documentation/security/secitemadd(_:_:)
public func SecItemAdd(_ attributes: CFDictionary, _ result: UnsafeMutablePointer<CFTypeRef?>?) -> OSStatus {
  fatalError()
}

// https://developer.apple.com/documentation/security/secitemupdate(_:_:)
public func SecItemUpdate(_ query: CFDictionary, _ attributesToUpdate: CFDictionary) -> OSStatus { fatalError() }

// https://developer.apple.com/documentation/security/secitemdelete(_:)
public func SecItemDelete(_ query: CFDictionary) -> OSStatus { fatalError() }
