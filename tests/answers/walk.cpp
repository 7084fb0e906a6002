/// Answers of a model that knows nothing: `walk_schemas MODEL SEED` reads a JSON Schema from each line and
/// writes a line {"text":…} for what random logits make of it with the model's vocabulary, with
/// "violation" where a check at the end refuses it, or {"error":…}. Tokens are chosen as a generation chooses
/// them. Of a line {"schema":…, "texts":[…]} it writes {"accepted":[…]}: which texts may be an answer.
#include <fmt/format.h>

#include <iostream>
#include <nlohmann/json.hpp>
#include <random>

#include "engine/grammar/json_schema.h"
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

Result<session::AnswerRules> rulesFor(const session::OpenedModel& model, const std::string& schema) {
    GenerateRequest request;
    request.rawPrompt = "?";
    request.jsonSchema = schema;
    INGLE_TRY_ASSIGN(auto rules, session::AnswerRules::create(model, request, {}));
    return *std::move(rules);
}

json outcomeOf(const session::AnswerRules& rules, const std::string& text) {
    json out{{"text", text}};
    if (const auto violation = rules.violation()) out["violation"] = *violation;
    return out;
}

Result<json> walk(const session::OpenedModel& model, const std::string& schema, uint64_t seed,
                  std::mt19937_64& random) {
    INGLE_TRY_ASSIGN(session::AnswerRules rules, rulesFor(model, schema));
    const SamplerParams params{.temperature = 1, .topK = 0, .topP = 1, .minP = 0, .seed = seed};
    sampling::Sampler sampler;
    std::vector<float> logits(model.tokenTrie->numIds()), towardsEnd[2];
    for (const bool inText : {false, true})
        for (size_t id = 0; id < logits.size(); ++id)
            towardsEnd[inText].push_back(closing(model, static_cast<TokenId>(id), inText));
    std::normal_distribution<float> normal(0, 3);
    std::string text;
    for (size_t position = 0; position < kMostTokens && !rules.mustEnd(); ++position) {
        const std::vector<float>& towards = towardsEnd[endsInText(text)];
        const float hurry = 2 + static_cast<float>(position) / 10;
        for (size_t id = 0; id < logits.size(); ++id) logits[id] = normal(random) + hurry * towards[id];
        TokenId id = sampler.sample(logits, params, {}, position);
        if (!rules.allows(model, id)) {
            INGLE_TRY_ASSIGN(const std::vector<bool>* allowed, rules.allowed(model));
            id = sampler.sample(logits, params, {}, position, allowed);
        }
        INGLE_TRY(rules.take(model, id));
        if (model.tokenizer->isEndOfGeneration(id)) return outcomeOf(rules, text);
        text += model.tokenizer->pieceBytes(id);
    }
    if (!rules.mustEnd())
        return fail(ErrorCode::Unsupported, "no end after {} tokens: {}", kMostTokens, text);
    return outcomeOf(rules, text);
}

/// Which of `texts` rules and check take.
Result<json> accepted(const std::string& schema, const json& texts) {
    INGLE_TRY_ASSIGN(const grammar::SchemaRules rules, grammar::readJsonSchema(schema));
    INGLE_TRY_ASSIGN(grammar::Grammar compiled, grammar::compile(rules.rules));
    const grammar::Matcher fresh(std::move(compiled));
    json taken = json::array();
    for (const json& each : texts) {
        const auto& text = each.get_ref<const std::string&>();
        grammar::Matcher matcher = fresh;
        const bool follows = matcher.advance(text) && matcher.canEnd();
        taken.push_back(follows && !(rules.check && rules.check->violation(text)));
    }
    return json{{"accepted", taken}};
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
        const auto asked = nlohmann::ordered_json::parse(line);
        const bool isCheck = asked.is_object() && asked.contains("texts") && asked.contains("schema");
        const auto found = isCheck ? accepted(asked["schema"].dump(), json(asked["texts"]))
                                   : walk(**model, line, seed, random);
        const json out = found ? *found : json{{"error", found.error().message}};
        std::cout << out.dump(-1, ' ', false, json::error_handler_t::replace) << '\n';
    }
    return 0;
}
