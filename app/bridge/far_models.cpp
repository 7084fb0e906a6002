#include "app/bridge/far_models.h"

#include <algorithm>
#include <array>

#include "app/bridge/json_text.h"
#include "app/protocol/remote.h"

namespace ingle::bridge {
namespace {

constexpr size_t kMaxModels = 1000;  // more are no list to choose from
constexpr size_t kMaxNameBytes = 512;

/// What "owned_by" says of the servers that go on with a last message of the assistant: vLLM (from 0.6.3 on),
/// SGLang and ingle-serve are asked to by continue_final_message, llama.cpp's does so by itself. One that
/// does not would begin anew in other words, which nobody could tell from a continuation.
constexpr std::array<std::string_view, 4> kContinuing{"vllm", "sglang", "inglenook", "llamacpp"};

bool continues(const nlohmann::json& model) {
    const auto owner = textAt(model, "owned_by");
    return owner && std::ranges::find(kContinuing, *owner) != kContinuing.end();
}

uint32_t contextOf(const nlohmann::json& model) {
    for (const char* name : {"max_model_len", "context_length", "context_window"}) {
        if (const auto tokens = countAt(model, name)) return *tokens;
    }
    return countAt(memberAt(model, "meta"), "n_ctx").value_or(0);
}

}  // namespace

std::string pathOf(const FarModel& model) {
    return fmt::format("{}{}", protocol::kRemotePrefix, model.name);
}

Result<std::vector<FarModel>> readModels(std::string_view body) {
    const auto read = readJson(body);
    const nlohmann::json& list = read ? memberAt(*read, "data") : memberAt({}, "");
    if (!list.is_array()) return fail(ErrorCode::Corrupt, "its list of models is none");
    std::vector<FarModel> models;
    for (const nlohmann::json& each : list) {
        const auto name = textAt(each, "id");
        if (!name || name->empty() || name->size() > kMaxNameBytes) continue;
        models.push_back({*name, contextOf(each), continues(each)});
        if (models.size() == kMaxModels) break;
    }
    return models;
}

std::vector<FarModel> offered(std::vector<FarModel> known, std::span<const std::string> named) {
    if (named.empty()) return known;
    std::vector<FarModel> models;
    for (const std::string& name : named) {
        const auto found = std::ranges::find(known, name, &FarModel::name);
        if (found != known.end()) models.push_back(*found);
    }
    return models;
}

ModelInfo infoOf(const FarModel& model, const FarAddress& address) {
    ModelInfo info;
    info.path = pathOf(model);
    info.name = model.name;
    info.format = "OpenAI";
    info.family = protocol::kRemote;
    info.trainedContext = model.contextTokens;
    info.tokenizer = protocol::kRemote;
    info.promptFormat = "template";  // the server's
    info.backend = protocol::kRemote;
    info.device = address.host;
    info.contextTokens = model.contextTokens;
    return info;
}

Recognition recognitionOf(const FarModel& model, const FarAddress& address) {
    Recognition recognition;
    recognition.kind = protocol::kRemote;
    recognition.path = pathOf(model);
    recognition.sentence = fmt::format("{}, which {} computes: what is asked leaves this computer",
                                       shown(model.name), address.host);
    recognition.actions = {ModelAction::Open};
    recognition.info = infoOf(model, address);
    return recognition;
}

Recognition refusedRecognition(const std::string& path, Error error) {
    Recognition recognition;
    recognition.kind = protocol::kRemote;
    recognition.path = path;
    recognition.sentence = error.message;
    recognition.refusal = std::move(error);
    return recognition;
}

}  // namespace ingle::bridge
