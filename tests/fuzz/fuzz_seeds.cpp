// fuzz_seeds FOLDER writes a small valid file of each format into FOLDER/<format>/, where the fuzzers can
// start.
#include <cstdio>
#include <filesystem>
#include <fstream>

#include "tests/engine/formats/sample_files.h"

int main(int argc, char** argv) {
    if (argc != 2) {
        std::fputs("usage: fuzz_seeds FOLDER\n", stderr);
        return 2;
    }
    const std::filesystem::path root = argv[1];
    for (const char* format : {"gguf", "rwkv_cpp", "llama2c"})
        std::filesystem::create_directories(root / format);
    std::ofstream(root / "rwkv_cpp" / "seed", std::ios::binary) << ingle::test::rwkvFile();
    std::ofstream(root / "llama2c" / "seed", std::ios::binary) << ingle::test::llama2cFile();
    if (const auto status = ingle::test::writeLlamaGguf((root / "gguf" / "seed").string()); !status) {
        std::fprintf(stderr, "%s\n", status.error().message.c_str());
        return 1;
    }
    return 0;
}
