#include <iostream>
#include <iterator>
#include <map>
#include <nlohmann/json.hpp>

#include "app/cli/command.h"
#include "app/cli/model_options.h"

namespace ingle::cli::embed_command {
namespace {

struct Options {
    ModelOptions model;
    bool lines = false;
    bool tokens = false;
    bool normalise = false;
    std::string use = "alone";
    uint32_t dimensions = 0;  ///< 0: all
};

const std::map<std::string, TextUse> kUses{
    {"alone", TextUse::Alone}, {"query", TextUse::Query}, {"document", TextUse::Document}};

std::vector<std::string> readTexts(bool lines) {
    if (!lines) {
        std::string text(std::istreambuf_iterator<char>(std::cin), {});
        if (text.ends_with('\n')) text.pop_back();  // which a terminal adds
        return {std::move(text)};
    }
    std::vector<std::string> texts;
    for (std::string line; std::getline(std::cin, line);) texts.push_back(line);
    return texts;
}

/// A row a line.
void print(const Embedding& embedding) {
    for (size_t first = 0; first < embedding.values.size(); first += embedding.dim) {
        const std::span row(embedding.values.data() + first, embedding.dim);
        fmt::print("[{}]\n", fmt::join(row, ","));
    }
}

Status embed(const Options& options) {
    INGLE_TRY_ASSIGN(const auto embedder, loadEmbedder(options.model));
    std::vector<std::vector<TokenId>> texts;
    for (const std::string& text : readTexts(options.lines)) {
        if (options.tokens) {
            INGLE_TRY_ASSIGN(auto ids, parseTokens(text));
            texts.push_back(std::move(ids));
        } else {
            INGLE_TRY_ASSIGN(auto ids, embedder->tokenize(text, kUses.at(options.use)));
            texts.push_back(std::move(ids));
        }
    }
    INGLE_TRY_ASSIGN(auto embeddings, embedder->embed(texts));
    for (Embedding& embedding : embeddings) {
        if (options.dimensions > 0) INGLE_TRY(truncateRows(embedding, options.dimensions));
        if (options.normalise) normaliseRows(embedding);
        print(embedding);
    }
    return {};
}

Action define(CLI::App& app) {
    auto options = std::make_shared<Options>();
    addModelOptions(app, options->model);
    app.add_flag("--lines", options->lines, "each line of standard input is a text of its own");
    app.add_flag("--tokens", options->tokens, "texts are token ids, exactly: 1,2,3");
    app.add_option("--as", options->use,
                   "what the texts are for: query, document or alone; the model's words for it come first")
        ->check(CLI::IsMember(kUses))
        ->capture_default_str();
    app.add_option("--dimensions", options->dimensions,
                   "keep the first numbers of each row, of models that were trained for it")
        ->check(CLI::Range(1, 1 << 16));
    app.add_flag("--normalise", options->normalise, "rows of length 1");
    return [options] { return embed(*options); };
}

}  // namespace

extern const Command command{"embed", "print the embedding of the text on standard input", define};

}  // namespace ingle::cli::embed_command
