#include "engine/formats/checkpoint/weight_container.h"

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
    const auto file = std::as_bytes(std::span(data, size));
    if (ingle::formats::kSafetensors.probe(file))
        (void)ingle::formats::kSafetensors.read(file);  // any outcome but a crash
    return 0;
}
