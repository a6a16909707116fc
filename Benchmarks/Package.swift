// swift-tools-version: 6.0
import PackageDescription

/// Measurements against other programs. Run them through the scripts in `peers/`, which also run the peers.
let package = Package(
  name: "WindhoverBenchmarks",
  dependencies: [.package(name: "Windhover", path: "..")],
  targets: [
    .executableTarget(name: "hog-benchmark", dependencies: [.product(name: "Windhover", package: "Windhover")]),
    .executableTarget(name: "landmark-benchmark", dependencies: [.product(name: "Windhover", package: "Windhover")]),
    .executableTarget(name: "cascade-benchmark", dependencies: [.product(name: "Windhover", package: "Windhover")]),
    .executableTarget(name: "svm-benchmark", dependencies: [.product(name: "Windhover", package: "Windhover")]),
  ],
  swiftLanguageModes: [.v6]
)
