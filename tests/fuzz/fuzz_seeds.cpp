// fuzz_seeds FOLDER writes a small valid file of each format into FOLDER/<format>/, where the fuzzers can
// start.
#include <cstdio>
#include <filesystem>
#include <fstream>

#include "tests/engine/formats/sample_files.h"
#include "tests/engine/formats/sample_lists.h"
#include "tests/engine/formats/sample_pickles.h"

int main(int argc, char** argv) {
    if (argc != 2) {
        std::fputs("usage: fuzz_seeds FOLDER\n", stderr);
        return 2;
    }
    const std::filesystem::path root = argv[1];
    for (const char* format :
         {"gguf", "rwkv_cpp", "llama2c", "fastllm", "safetensors", "pytorch", "tokenizer_json"})
        std::filesystem::create_directories(root / format);
    const auto write = [&](const char* format, const char* name, const std::string& bytes) {
        std::ofstream(root / format / name, std::ios::binary) << bytes;
    };
    for (const int version : {4, 5, 6, 7})
        write("rwkv_cpp", std::to_string(version).c_str(), ingle::test::rwkvFile(version));
    write("llama2c", "v0", ingle::test::llama2cFile());
    write("llama2c", "v1", ingle::test::llama2cVersion1File());
    write("llama2c", "v2", ingle::test::llama2cVersion2File());
    write("fastllm", "seed", ingle::test::fastLlmFile());
    const auto tensors = ingle::test::mixtralTensors();
    write("safetensors", "seed", ingle::test::safetensorsFile(tensors));
    write("pytorch", "archive", ingle::test::pytorchFile(tensors, ingle::test::PickleForm::Archive));
    write("pytorch", "legacy", ingle::test::pytorchFile(tensors, ingle::test::PickleForm::Legacy));
    write("tokenizer_json", "pieces", ingle::test::piecesTokenizer().dump());
    write("tokenizer_json", "ranks", ingle::test::tiktokenFolder().at("tokenizer.model"));
    write("tokenizer_json", "ids", ingle::test::mergesFolder().at("vocab.json"));
    write("tokenizer_json", "words", ingle::test::bertFolder().at("vocab.txt"));
    if (const auto status = ingle::test::writeLlamaGguf((root / "gguf" / "seed").string()); !status) {
        std::fprintf(stderr, "%s\n", status.error().message.c_str());
        return 1;
    }
    return 0;
}
