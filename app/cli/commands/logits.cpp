#include <cstdio>
#include <memory>

#include "app/cli/command.h"
#include "app/cli/model_options.h"

namespace ingle::cli::logits_command {
namespace {

struct Options {
    ModelOptions model;
    std::string tokens;
    std::string out;
    uint32_t chunk = 0;
};

Status logits(const Options& options) {
    INGLE_TRY_ASSIGN(const std::vector<TokenId> tokens, parseTokens(options.tokens));
    // Before the model is loaded: then no other file can be opened.
    const std::unique_ptr<std::FILE, int (*)(std::FILE*)> file(std::fopen(options.out.c_str(), "wb"),
                                                               std::fclose);
    if (!file) return fail(ErrorCode::Io, "{}: cannot be written", options.out);
    INGLE_TRY_ASSIGN(const auto engine, loadEngine(options.model));
    bool written = true;
    INGLE_TRY(engine->logits(tokens, options.chunk, [&](std::span<const float> row) {
        written = written && std::fwrite(row.data(), sizeof(float), row.size(), file.get()) == row.size();
    }));
    if (!written || std::fflush(file.get()) != 0)
        return fail(ErrorCode::Io, "{}: cannot be written", options.out);
    return {};
}

Action define(CLI::App& app) {
    auto options = std::make_shared<Options>();
    addModelOptions(app, options->model);
    app.add_option("--tokens", options->tokens, "ids to feed, exactly: 1,2,3")->required();
    app.add_option("--out", options->out, "file for float32 [numTokens, numVocab]")->required();
    app.add_option("--chunk", options->chunk, "tokens per step")->check(CLI::Range(1, 4096));
    return [options] { return logits(*options); };
}

}  // namespace

extern const Command command{"logits", "write the logits after each of the given tokens", define};

}  // namespace ingle::cli::logits_command
