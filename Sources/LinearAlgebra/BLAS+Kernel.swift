import COpenBLAS
import Foundation

#if canImport(Glibc)
  import Glibc
#endif

extension BLAS {
  /// Chooses the kernels and the thread count before the first call; later calls cost one atomic load.
  ///
  /// OpenBLAS 0.3.21 takes its oldest SSE3 kernels ("Prescott") on processors it has never heard of, four to eight times
  /// slower than the ones they can run. Where that has happened on a processor with AVX2 or AVX-512, the right family is
  /// named through OPENBLAS_CORETYPE and the library's own start-up is run again. It is left alone where the user
  /// set OPENBLAS_CORETYPE, where it already took a better family, where the start-up functions are not exported, and
  /// on other architectures.
  @inline(__always)
  static func prepare() { _ = prepared }

  private static let prepared: Void = {
    openblas_set_num_threads(1)
    #if arch(x86_64)
      guard getenv("OPENBLAS_CORETYPE") == nil, String(cString: openblas_get_corename()) == "Prescott",
        let information = try? String(contentsOfFile: "/proc/cpuinfo", encoding: .utf8),
        let better = betterCore(thanPrescottFor: information),
        let program = dlopen(nil, RTLD_NOW), let quit = dlsym(program, "gotoblas_dynamic_quit"),
        let start = dlsym(program, "gotoblas_dynamic_init"), setenv("OPENBLAS_CORETYPE", better, 1) == 0
      else { return }
      typealias Step = @convention(c) () -> Void
      unsafeBitCast(quit, to: Step.self)()
      unsafeBitCast(start, to: Step.self)()
      unsetenv("OPENBLAS_CORETYPE")
      openblas_set_num_threads(1)
    #endif
  }()

  /// The kernel family that a processor's `/proc/cpuinfo` text allows, or `nil` without AVX2.
  static func betterCore(thanPrescottFor information: String) -> String? {
    guard let line = information.split(separator: "\n").first(where: { $0.hasPrefix("flags") }) else { return nil }
    let flags = Set(line.split(whereSeparator: { " \t:".contains($0) }))
    let wide: [Substring] = ["avx512f", "avx512dq", "avx512bw", "avx512vl", "avx512cd"]
    if wide.allSatisfy(flags.contains) { return "SkylakeX" }
    return flags.contains("avx2") && flags.contains("fma") ? "Haswell" : nil
  }
}
