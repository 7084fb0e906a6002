/// What a device needs for the parts of a token: for reading matrices, and for ops that wait for each other.
#pragma once

#include <string>
#include <vector>

#include "engine/session/loading/model.h"

namespace ingle::lab {

struct KernelSpeeds {
    /// Of a prompt: rows that are multiplied at a time.
    static constexpr uint32_t kPromptRows = 512;
    struct Matrix {
        std::string format;
        double bytesPerSecond = 0;     ///< of the file's bytes, for one row
        double productsPerSecond = 0;  ///< multiply-adds, for kPromptRows
    };
    std::vector<Matrix> matrices;  ///< of each format in the model
    double secondsPerOp = 0;       ///< of an op of almost no work that needs the result of the one before
    backend::BackendPeaks peaks;
};

/// Measured where the model computes, on chains of products with matrices of zeros [dim, dim], together
/// larger than caches, and on a chain of small ops. Errors: OutOfMemory, Device.
Result<KernelSpeeds> measureKernels(session::Model& model);

}  // namespace ingle::lab
