// swift-tools-version: 6.0
import PackageDescription

/// Modules from the ground up: each may import only those listed before it.
let package = Package(
  name: "Windhover",
  products: [
    .library(
      name: "Windhover",
      targets: [
        "Execution", "Geometry", "LinearAlgebra", "Imaging", "Features", "Learning", "ModelFiles", "Detection",
        "Landmarks", "DatasetReaders", "Evaluation", "Interchange", "Experiments", "Windhover",
      ]),
    .executable(name: "windhover-train", targets: ["windhover-train"]),
    .executable(name: "windhover-evaluate", targets: ["windhover-evaluate"]),
    .executable(name: "windhover-detect", targets: ["windhover-detect"]),
    .executable(name: "windhover-data", targets: ["windhover-data"]),
    .executable(name: "windhover-experiment", targets: ["windhover-experiment"]),
  ],
  targets: [
    // System libraries: module maps and shim headers only.
    .systemLibrary(name: "COpenBLAS", pkgConfig: "openblas", providers: [.apt(["libopenblas-dev"])]),
    .systemLibrary(name: "CExpat", pkgConfig: "expat", providers: [.apt(["libexpat1-dev"])]),
    .systemLibrary(name: "CPNG", pkgConfig: "libpng", providers: [.apt(["libpng-dev"])]),
    .systemLibrary(name: "CTurboJPEG", pkgConfig: "libturbojpeg", providers: [.apt(["libturbojpeg0-dev"])]),
    .systemLibrary(name: "CCairo", pkgConfig: "cairo", providers: [.apt(["libcairo2-dev"])]),

    // Foundations.
    .target(name: "Execution", dependencies: ["CExpat"]),
    .target(name: "Geometry", dependencies: ["Execution"]),
    .target(name: "LinearAlgebra", dependencies: ["COpenBLAS", "Execution"]),
    .target(name: "Imaging", dependencies: ["CPNG", "CTurboJPEG", "CCairo", "Execution", "Geometry"]),

    // Features and learning.
    .target(name: "Features", dependencies: ["Execution", "Geometry", "LinearAlgebra", "Imaging"]),
    .target(name: "Learning", dependencies: ["Execution", "LinearAlgebra"]),
    .target(name: "ModelFiles", dependencies: ["Execution"]),

    // Detectors.
    .target(
      name: "Detection",
      dependencies: ["Execution", "Geometry", "LinearAlgebra", "Imaging", "Features", "Learning", "ModelFiles"]),

    // Landmarks.
    .target(
      name: "Landmarks",
      dependencies: ["Execution", "Geometry", "LinearAlgebra", "Imaging", "Features", "Learning", "ModelFiles"],
      resources: [.embedInCode("Resources/layouts.json"), .embedInCode("Resources/head68.json")]),

    // Data, measurement and exchange.
    .target(name: "DatasetReaders", dependencies: ["Execution", "Geometry", "Imaging"]),
    .target(name: "Evaluation", dependencies: ["Execution", "Geometry", "LinearAlgebra"]),
    .target(
      name: "Interchange", dependencies: ["Execution", "Geometry", "Features", "Learning", "Detection", "Landmarks"]),
    .target(
      name: "Experiments",
      dependencies: [
        "Execution", "Geometry", "Imaging", "Features", "Learning", "ModelFiles", "Detection", "Landmarks",
        "DatasetReaders", "Evaluation", "Interchange",
      ]),
    .target(
      name: "Windhover",
      dependencies: [
        "Execution", "Geometry", "LinearAlgebra", "Imaging", "Features", "Learning", "ModelFiles", "Detection",
        "Landmarks", "DatasetReaders", "Evaluation", "Interchange", "Experiments",
      ],
      resources: [.copy("Models")]),

    // Programs.
    .target(name: "CommandLineOptions", dependencies: ["Execution"]),
    .executableTarget(name: "windhover-train", dependencies: ["CommandLineOptions", "Windhover"]),
    .executableTarget(name: "windhover-evaluate", dependencies: ["CommandLineOptions", "Windhover"]),
    .executableTarget(name: "windhover-detect", dependencies: ["CommandLineOptions", "Windhover"]),
    .executableTarget(
      name: "windhover-data",
      dependencies: [
        "CommandLineOptions", "Execution", "Geometry", "Imaging", "Detection", "DatasetReaders", "Experiments",
      ]),
    .executableTarget(name: "windhover-experiment", dependencies: ["CommandLineOptions", "Windhover"]),

    // Tests.
    .target(name: "TestSupport", dependencies: ["Execution", "Geometry", "Imaging"], path: "Tests/TestSupport"),
    .testTarget(name: "ExecutionTests", dependencies: ["Execution", "TestSupport"]),
    .testTarget(name: "GeometryTests", dependencies: ["Geometry", "Execution", "TestSupport"]),
    .testTarget(name: "LinearAlgebraTests", dependencies: ["LinearAlgebra", "Execution", "Geometry", "TestSupport"]),
    .testTarget(name: "ImagingTests", dependencies: ["Imaging", "Execution", "Geometry", "TestSupport"]),
    .testTarget(
      name: "FeaturesTests",
      dependencies: ["Features", "Execution", "Geometry", "Imaging", "LinearAlgebra", "TestSupport"]),
    .testTarget(
      name: "LearningTests", dependencies: ["Learning", "Execution", "Geometry", "LinearAlgebra", "TestSupport"]),
    .testTarget(name: "ModelFilesTests", dependencies: ["ModelFiles", "Execution", "Geometry", "TestSupport"]),
    .testTarget(
      name: "DetectionTests",
      dependencies: [
        "Detection", "Execution", "Geometry", "Imaging", "Features", "Learning", "ModelFiles", "TestSupport",
      ]),
    .testTarget(
      name: "LandmarksTests",
      dependencies: ["Landmarks", "Execution", "Geometry", "Imaging", "ModelFiles", "TestSupport"]),
    .testTarget(
      name: "DatasetReadersTests", dependencies: ["DatasetReaders", "Execution", "Geometry", "Imaging", "TestSupport"]),
    .testTarget(name: "EvaluationTests", dependencies: ["Evaluation", "Execution", "Geometry", "TestSupport"]),
    .testTarget(
      name: "InterchangeTests",
      dependencies: [
        "Interchange", "Execution", "Geometry", "Imaging", "Features", "Detection", "Landmarks", "DatasetReaders",
        "ModelFiles",
        "TestSupport",
      ]),
    .testTarget(
      name: "ExperimentsTests",
      dependencies: [
        "Experiments", "CommandLineOptions", "Execution", "Geometry", "Imaging", "Landmarks", "ModelFiles",
        "DatasetReaders", "Evaluation", "TestSupport",
      ]),
    .testTarget(
      name: "WindhoverTests", dependencies: ["Windhover", "Execution", "Geometry", "Imaging", "TestSupport"]),
    // Runs the built programs, which a test build makes too.
    .testTarget(name: "ProgramTests", dependencies: ["Execution", "DatasetReaders"]),
    .testTarget(
      name: "CommandLineOptionsTests", dependencies: ["CommandLineOptions", "Execution", "Geometry", "TestSupport"]),
  ],
  swiftLanguageModes: [.v6]
)
