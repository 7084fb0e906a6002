/// Whether the fast kernels of this processor compute what the plain ones do, with a model's own layers.
#pragma once

#include <string>

#include "ingle/result.h"
#include "ingle/types.h"

namespace ingle::lab {

/// Runs a layer of each kind on the processor with its fastest kernels and with the scalar reference kernels,
/// as a device is checked before it is used (session/self_check.h). Errors: those of opening the model;
/// Device, saying what differs.
Status checkKernels(const std::string& path, const LoadOptions& load);

}  // namespace ingle::lab
