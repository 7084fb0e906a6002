/// What this processor can do.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

#include "engine/base/isa.h"
#include "ingle/result.h"

namespace ingle::base {

std::string_view isaName(Isa isa);

/// True when processor and operating system support what files named *_<isa>.cpp are compiled for.
bool isaSupported(Isa isa);

/// The best supported one, or the one named by INGLE_ISA=scalar|avx2|avxvnni|avx512|neon.
/// Errors: InvalidArgument for an unknown name, Unsupported when this processor lacks it.
Result<Isa> chooseIsa();

/// Physical cores available to this process (hyper-threads share the units that matmuls saturate). At
/// least 1.
uint32_t physicalCores();

/// The processor's own name, e.g. "AMD EPYC", or its architecture.
std::string processorName();

}  // namespace ingle::base
