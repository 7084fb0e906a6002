#include <algorithm>
#include <iostream>
#include <iterator>
#include <limits>
#include <nlohmann/json.hpp>

#include "app/cli/command.h"
#include "app/cli/confinement.h"
#include "app/cli/model_options.h"
#include "app/cli/terminal_text.h"

namespace ingle::cli::detokenize_command {
namespace {

struct Options {
    std::string model;
    bool jsonl = false;
};

/// One JSON array of ids per line in, one JSON string per line out; bytes that are no UTF-8 become U+FFFD
/// there.
Status detokenizeLines(const Vocabulary& vocabulary) {
    for (std::string line; std::getline(std::cin, line);) {
        const auto json = nlohmann::json::parse(line, nullptr, /*allow_exceptions=*/false);
        const auto isId = [](const nlohmann::json& each) { return each.is_number_integer(); };
        if (!json.is_array() || !std::ranges::all_of(json, isId))
            return fail(ErrorCode::InvalidArgument, "not a JSON array of ids: {}", line);
        std::vector<TokenId> ids;
        for (const auto& each : json) {
            const auto id = each.get<int64_t>();
            ids.push_back(
                static_cast<TokenId>(std::clamp<int64_t>(id, -1, std::numeric_limits<TokenId>::max())));
        }
        INGLE_TRY_ASSIGN(const std::string text, vocabulary.detokenize(ids));
        fmt::print("{}\n",
                   nlohmann::json(text).dump(-1, ' ', false, nlohmann::json::error_handler_t::replace));
    }
    return {};
}

/// Ids between spaces, line ends or commas.
Result<std::vector<TokenId>> readIds(std::string text) {
    constexpr std::string_view kSeparators = " \t\r\n,";
    std::vector<TokenId> ids;
    for (size_t at = text.find_first_not_of(kSeparators); at != text.npos;) {
        const size_t end = std::min(text.find_first_of(kSeparators, at), text.size());
        INGLE_TRY_ASSIGN(const auto id, parseTokens(text.substr(at, end - at)));
        ids.insert(ids.end(), id.begin(), id.end());
        at = text.find_first_not_of(kSeparators, end);
    }
    return ids;
}

Status detokenize(const Options& options) {
    INGLE_TRY_ASSIGN(const std::string path, resolveModel(options.model));
    INGLE_TRY(confineTo({path}));
    INGLE_TRY_ASSIGN(const auto vocabulary, Vocabulary::open(path));
    if (options.jsonl) return detokenizeLines(*vocabulary);
    INGLE_TRY_ASSIGN(const auto ids, readIds({std::istreambuf_iterator<char>(std::cin), {}}));
    INGLE_TRY_ASSIGN(const std::string text, vocabulary->detokenize(ids));
    fmt::print("{}", forStandardOutput(text));
    return {};
}

Action define(CLI::App& app) {
    auto options = std::make_shared<Options>();
    app.add_option("MODEL", options->model, "model or vocabulary file, or the name of a model")->required();
    app.add_flag("--jsonl", options->jsonl,
                 "one JSON array of ids per line in, one JSON string per line out");
    return [options] { return detokenize(*options); };
}

}  // namespace

extern const Command command{"detokenize", "the text that the token ids on standard input encode", define};

}  // namespace ingle::cli::detokenize_command
