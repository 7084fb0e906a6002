/// What anything that is dropped goes through first. The first byte chooses under which name the rest lies.
#include <cstdint>
#include <filesystem>
#include <fstream>
#include <iterator>

#include "ingle/recognition.h"
#include "tests/temporary_folder.h"

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
    static const ingle::test::TemporaryFolder folder;
    constexpr const char* kNames[] = {"model",     "model.gguf",  "model.safetensors",   "model.pth",
                                      "model.bin", "config.json", "adapter_config.json", "model.onnx"};
    if (size == 0) return 0;
    const std::string path = folder.file(kNames[data[0] % std::size(kNames)]);
    std::ofstream(path, std::ios::binary)
        .write(reinterpret_cast<const char*>(data) + 1, static_cast<std::streamsize>(size - 1));
    (void)ingle::recognise({&path, 1});  // any outcome but a crash will do
    std::filesystem::remove(path);
    return 0;
}
