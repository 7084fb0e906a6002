#include <algorithm>
#include <iostream>
#include <ranges>

#include "app/cli/command.h"
#include "app/cli/model_options.h"

namespace ingle::cli::rerank_command {
namespace {

struct Options {
    ModelOptions model;
    std::string query;
    bool sorts = false;
};

Status rerank(const Options& options) {
    INGLE_TRY_ASSIGN(const auto embedder, loadEmbedder(options.model));
    std::vector<std::string> documents;
    for (std::string line; std::getline(std::cin, line);) documents.push_back(line);
    std::vector<std::vector<TokenId>> pairs;
    for (const std::string& document : documents) {
        INGLE_TRY_ASSIGN(auto ids, embedder->tokenizePair(options.query, document));
        pairs.push_back(std::move(ids));
    }
    INGLE_TRY_ASSIGN(const auto embeddings, embedder->embed(pairs));
    std::vector<std::pair<float, size_t>> scores;
    for (const Embedding& each : embeddings) {
        INGLE_TRY_ASSIGN(const float relevance, relevanceOf(each));
        scores.emplace_back(relevance, scores.size());
    }
    if (options.sorts)
        std::ranges::stable_sort(scores, std::ranges::greater(), &std::pair<float, size_t>::first);
    for (const auto& [score, index] : scores) fmt::print("{:.6f}\t{}\n", score, documents[index]);
    return {};
}

Action define(CLI::App& app) {
    auto options = std::make_shared<Options>();
    addModelOptions(app, options->model);
    app.add_option("--query", options->query, "the question that the lines are to answer")->required();
    app.add_flag("--sort", options->sorts, "the best line first");
    return [options] { return rerank(*options); };
}

}  // namespace

extern const Command command{"rerank", "score how well each line of standard input answers a question",
                             define};

}  // namespace ingle::cli::rerank_command
