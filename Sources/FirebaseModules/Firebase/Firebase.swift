// The name of the module that brings in the others in Firebase's SDK for Apple systems.
@_exported import FirebaseAuth
@_exported import FirebaseCore
@_exported import FirebaseDatabase
