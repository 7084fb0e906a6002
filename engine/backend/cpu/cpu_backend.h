/// The CPU backend: walks a plan's op records with a thread pool. Always there; every other backend is
/// checked against it.
#pragma once

#include <memory>

#include "engine/backend/backend.h"
#include "engine/base/isa.h"

namespace ingle::backend::cpu {

struct CpuOptions {
    uint32_t threads = 0;  ///< 0: one per physical core
    base::Isa isa = base::Isa::Scalar;
    ActivationType activations = ActivationType::Auto;
};

std::unique_ptr<Backend> createCpuBackend(const CpuOptions& options);

}  // namespace ingle::backend::cpu
