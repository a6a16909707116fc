import Foundation

#if canImport(Glibc)
  import Glibc
#endif

/// Finds the files that come with the programs (models, data set manifests), wherever these run from.
///
/// Looked through in order: the folder that the environment variable `WINDHOVER_HOME` names; `share/windhover` beside
/// the folder of the running program (`make install`); the checkout that the program was built from.
public enum InstalledFiles {
  /// The existing folders of that name, nearest first; may be empty.
  ///
  /// - Parameters:
  ///   - name: for example "models".
  ///   - checkoutPath: where the checkout keeps them, relative to its top, for example "Datasets".
  public static func folders(named name: String, checkoutPath: String) -> [String] {
    var candidates: [String] = []
    if let home = ProcessInfo.processInfo.environment["WINDHOVER_HOME"], !home.isEmpty {
      candidates.append(home + "/" + name)
    }
    if let program = programFolder() { candidates.append(program + "/../share/windhover/" + name) }
    candidates.append(checkout + "/" + checkoutPath)
    var isFolder: ObjCBool = false
    return candidates.filter {
      FileManager.default.fileExists(atPath: $0, isDirectory: &isFolder) && isFolder.boolValue
    }
  }

  /// The folder of the running program, with links followed.
  public static func programFolder() -> String? {
    guard let path = realpath("/proc/self/exe", nil) else { return nil }
    defer { free(path) }
    return (String(cString: path) as NSString).deletingLastPathComponent
  }

  /// The checkout's top as it was at build time; gone on a machine that only has the installed programs.
  private static let checkout: String = {
    let file = #filePath as NSString
    let parts = file.pathComponents.dropLast(3)
    return NSString.path(withComponents: Array(parts))
  }()
}
