import Execution
import Foundation

#if canImport(Glibc)
  import Glibc
#endif

/// What a program says of an error.
enum ErrorText {
  /// One line. Our own errors tell what is wrong; Foundation's, which should have been made ours where they arose, are told
  /// by their path and reason and not by their fields.
  static func line(_ error: any Error) -> String {
    switch error {
    case is InputError: return "\(error)"
    case let error as DecodingError:
      return "\(JSONFault.inputError(error, of: JSONFault.Nothing.self, from: Data(), source: "JSON"))"
    case let EncodingError.invalidValue(value, context):
      let place = context.codingPath.map(\.stringValue).joined(separator: ".")
      return "\(place.isEmpty ? "JSON" : place): cannot be written as JSON: found \(value)"
    case is CocoaError, is POSIXError, is URLError:
      let given = error as NSError
      let path = given.userInfo[NSFilePathErrorKey] as? String
      let cause = given.userInfo[NSUnderlyingErrorKey] as? NSError
      let reason = cause?.domain == NSPOSIXErrorDomain ? String(cString: strerror(Int32(cause?.code ?? 0))) : nil
      return [path, given.localizedDescription, reason].compactMap(\.self).joined(separator: ": ")
    default: return "\(error)"
    }
  }
}
