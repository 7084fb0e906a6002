#include <iostream>
#include <iterator>
#include <nlohmann/json.hpp>

#include "app/cli/command.h"
#include "app/cli/confinement.h"
#include "app/cli/model_options.h"

namespace ingle::cli::tokenize_command {
namespace {

struct Options {
    std::string model;
    TokenizeOptions tokenize;
    bool jsonl = false;
};

Status tokenizeLines(const Vocabulary& vocabulary, const TokenizeOptions& options) {
    for (std::string line; std::getline(std::cin, line);) {
        const auto text = nlohmann::json::parse(line, nullptr, /*allow_exceptions=*/false);
        if (!text.is_string()) return fail(ErrorCode::InvalidArgument, "not a JSON string: {}", line);
        INGLE_TRY_ASSIGN(const auto ids, vocabulary.tokenize(text.get_ref<const std::string&>(), options));
        fmt::print("{}\n", nlohmann::json(ids).dump());
    }
    return {};
}

Status tokenize(const Options& options) {
    INGLE_TRY_ASSIGN(const std::string path, resolveModel(options.model));
    INGLE_TRY(confineTo({path}));
    INGLE_TRY_ASSIGN(const auto vocabulary, Vocabulary::open(path));
    if (options.jsonl) return tokenizeLines(*vocabulary, options.tokenize);
    const std::string text(std::istreambuf_iterator<char>(std::cin), {});
    INGLE_TRY_ASSIGN(const auto ids, vocabulary->tokenize(text, options.tokenize));
    fmt::print("{}\n", fmt::join(ids, " "));
    return {};
}

Action define(CLI::App& app) {
    auto options = std::make_shared<Options>();
    app.add_option("MODEL", options->model, "model or vocabulary file, or the name of a model")->required();
    app.add_flag("--add-special", options->tokenize.addSpecial, "add BOS/EOS as the vocabulary asks");
    app.add_flag("--parse-special", options->tokenize.parseSpecial, "recognise the text of special tokens");
    app.add_flag("--jsonl", options->jsonl, "one JSON string per line in, one JSON array per line out");
    return [options] { return tokenize(*options); };
}

}  // namespace

extern const Command command{"tokenize", "token ids of the exact bytes of standard input", define};

}  // namespace ingle::cli::tokenize_command
