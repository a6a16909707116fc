/// Everything that a program needs to detect, train and evaluate, by one import.
@_exported import DatasetReaders
@_exported import Detection
@_exported import Evaluation
@_exported import Execution
@_exported import Experiments
@_exported import Features
@_exported import Geometry
@_exported import Imaging
@_exported import Interchange
@_exported import Landmarks
@_exported import Learning
@_exported import LinearAlgebra
@_exported import ModelFiles
