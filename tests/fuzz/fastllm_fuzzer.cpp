#include "tests/fuzz/fuzz_reader.h"

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
    ingle::test::fuzzReader("FastLLM", data, size);
    return 0;
}
