/// Answers of a model that knows nothing: `walk_schemas MODEL SEED` reads a JSON Schema from each line and
/// writes a line {"text":…} for what random logits make of it with the model's vocabulary, or
/// {"error":…}. Tokens are chosen as a generation chooses them.
#include <fmt/format.h>

#include <iostream>
#include <nlohmann/json.hpp>
#include <random>

#include "engine/sampling/sampler.h"
#include "engine/session/conversations/answer_rules.h"

namespace {

using namespace ingle;
using nlohmann::json;

constexpr size_t kMostTokens = 4000;

/// How much a token closes what is open, a text or brackets: random text alone would never end.
float closing(const session::OpenedModel& model, TokenId id, bool inText) {
    if (model.tokenizer->isEndOfGeneration(id)) return 3;
    const std::string bytes = model.tokenizer->pieceBytes(id);
    if (bytes.empty() || bytes.find_first_not_of("\"]}") != std::string::npos) return 0;
    if (bytes[0] == '"') return inText ? 2 : 1;
    return inText ? 0 : 2;
}

bool endsInText(std::string_view written) {
    bool inText = false;
    for (size_t i = 0; i < written.size(); ++i) {
        if (inText && written[i] == '\\')
            ++i;
        else if (written[i] == '"')
            inText = !inText;
    }
    return inText;
}

Result<std::string> walk(const session::OpenedModel& model, const std::string& schema, uint64_t seed,
                         std::mt19937_64& random) {
    GenerateRequest request;
    request.rawPrompt = "?";
    request.jsonSchema = schema;
    INGLE_TRY_ASSIGN(auto rules, session::AnswerRules::create(model, request, {}));
    const SamplerParams params{.temperature = 1, .topK = 0, .topP = 1, .minP = 0, .seed = seed};
    sampling::Sampler sampler;
    std::vector<float> logits(model.tokenTrie->numIds()), towardsEnd[2];
    for (const bool inText : {false, true})
        for (size_t id = 0; id < logits.size(); ++id)
            towardsEnd[inText].push_back(closing(model, static_cast<TokenId>(id), inText));
    std::normal_distribution<float> normal(0, 3);
    std::string text;
    for (size_t position = 0; position < kMostTokens && !rules->mustEnd(); ++position) {
        const std::vector<float>& towards = towardsEnd[endsInText(text)];
        const float hurry = 2 + static_cast<float>(position) / 10;
        for (size_t id = 0; id < logits.size(); ++id) logits[id] = normal(random) + hurry * towards[id];
        TokenId id = sampler.sample(logits, params, {}, position);
        if (!rules->allows(model, id)) {
            INGLE_TRY_ASSIGN(const std::vector<bool>* allowed, rules->allowed(model));
            id = sampler.sample(logits, params, {}, position, allowed);
        }
        INGLE_TRY(rules->take(model, id));
        if (model.tokenizer->isEndOfGeneration(id)) return text;
        text += model.tokenizer->pieceBytes(id);
    }
    if (!rules->mustEnd())
        return fail(ErrorCode::Unsupported, "no end after {} tokens: {}", kMostTokens, text);
    return text;
}

}  // namespace

int main(int argc, char** argv) {
    if (argc != 3) {
        std::cerr << "usage: walk_schemas MODEL SEED\n";
        return 2;
    }
    const auto source = io::Source::open(argv[1]);
    const auto model = source ? session::openModel(*source, {}) : tl::unexpected(source.error());
    if (!model) {
        std::cerr << model.error().message << '\n';
        return 1;
    }
    uint64_t seed = std::stoull(argv[2]);
    std::mt19937_64 random(seed);
    for (std::string line; std::getline(std::cin, line); ++seed) {
        const auto text = walk(**model, line, seed, random);
        const json out = text ? json{{"text", *text}} : json{{"error", text.error().message}};
        std::cout << out.dump(-1, ' ', false, json::error_handler_t::replace) << '\n';
    }
    return 0;
}
