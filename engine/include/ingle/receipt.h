/// What made an answer, beside what it was asked: enough to say later why another computer, or another day,
/// may give other tokens.
#pragma once

#include <cstdint>
#include <map>
#include <string>

#include "ingle/types.h"

namespace ingle {

struct Receipt {
    std::string program;  ///< version, which the host states; empty: there is no receipt
    std::string modelPath;
    std::string modelHash;  ///< of the whole file, 32 hexadecimal digits; empty: not known when this was made
    std::string backend;    ///< "cpu"
    std::string device;     ///< the processor's name, or the graphics device's with its driver
    std::string instructions;  ///< of the processor: "avx2"; empty on other devices
    KvType kv = KvType::F16;
    ActivationType activations = ActivationType::Auto;
    bool referenceKernels = false;
    uint32_t contextTokens = 0;                    ///< 0: no limit
    std::map<std::string, std::string> overrides;  ///< as LoadOptions::overrides

    bool operator==(const Receipt&) const = default;
};

}  // namespace ingle
