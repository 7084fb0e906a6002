/// What a damaged file is put through.
#pragma once

#include <cstdio>
#include <string>
#include <vector>

#include "engine/formats/model_file.h"
#include "engine/import/import.h"
#include "ingle/embedder.h"
#include "ingle/engine.h"
#include "ingle/recognition.h"
#include "ingle/result.h"
#include "tests/temporary_folder.h"

namespace ingle::test {

/// Forgets tokens, remembers an error.
class ErrorSink final : public GenerateSink {
  public:
    void onPlan(const PromptPlan&) override {}
    void onProgress(uint32_t, uint32_t) override {}
    void onTokens(const TokenChunk&) override {}
    void onDone(const GenerateResult&) override {}
    void onError(const Error& error) override { status = tl::unexpected(error); }

    Status status;
};

/// Opens the file, decodes a row of each tensor, loads the model, tokenizes a text and generates one token.
inline Status exerciseFile(const std::string& path) {
    INGLE_TRY_ASSIGN(const io::Source source, io::Source::open(path));
    INGLE_TRY_ASSIGN(const auto file, formats::openModelFile(source));
    for (const auto& [name, tensor] : file.tensors) {
        std::vector<float> row(tensor.shape.rowElems());
        tensor.decodeRow(0, row);
    }
    INGLE_TRY_ASSIGN(const auto engine, Engine::load(path, {.threads = 1}, nullptr));
    if (const auto ids = engine->vocabulary()->tokenize("Hello, wörld\n", {}); ids) {
        INGLE_TRY(engine->vocabulary()->detokenize(*ids));
    }
    ErrorSink sink;
    GenerateRequest request{.maxTokens = 1};
    request.rawTokens = {1, 2, 3};
    INGLE_TRY(engine->submit(std::move(request), sink));
    while (engine->step()) {
    }
    return sink.status;
}

/// Loads the model and embeds a text of three tokens.
inline Status exerciseEncoder(const std::string& path) {
    INGLE_TRY_ASSIGN(const auto embedder, Embedder::load(path, {.threads = 1}, nullptr));
    const std::vector<std::vector<TokenId>> texts{{1, 2, 3}};
    INGLE_TRY(embedder->embed(texts));
    return {};
}

/// Recognises the file; fails where it is refused. How fast memory is read is kept: a trial for each file
/// would be most of the time.
inline Status exerciseRecognise(const std::string& path) {
    static const TemporaryFolder speeds;
    LoadOptions options;
    options.trials.folder = speeds.path().string();
    const std::vector<Recognition> known = recognise({&path, 1}, options);
    if (known.front().refusal) return tl::unexpected(*known.front().refusal);
    return {};
}

/// Imports and quantises the file.
inline Status exerciseImport(const std::string& path) {
    const std::string target = path + ".gguf";
    const Status status =
        importer::importModel({.source = path, .target = target, .quant = "Q4_K_M", .threads = 1}, {});
    std::remove(target.c_str());
    return status;
}

}  // namespace ingle::test
