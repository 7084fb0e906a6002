/// A receipt says what computed an answer. It is kept with the answer and explains later why another
/// computer, model file or setting may give other tokens.
#pragma once

#include <cstdint>
#include <map>
#include <string>

#include "ingle/types.h"

namespace ingle {

struct Receipt {
    std::string program;  ///< version of Inglenook, which the host fills in; empty: there is no receipt
    std::string modelPath;
    std::string modelHash;     ///< of the whole file, 32 hexadecimal digits; empty: it was not known yet
    std::string backend;       ///< "cpu", "vulkan", "split" or "remote", as ModelInfo::backend
    std::string device;        ///< the processor's name, or the graphics device's with its driver
    std::string instructions;  ///< instruction set of the processor: "avx2"; empty on other devices
    KvType kv = KvType::F16;
    ActivationType activations = ActivationType::Auto;
    bool referenceKernels = false;
    uint32_t contextTokens = 0;                    ///< 0: no limit
    std::map<std::string, std::string> overrides;  ///< as LoadOptions::overrides

    bool operator==(const Receipt&) const = default;
};

}  // namespace ingle
