#include <fstream>
#include <iterator>
#include <nlohmann/json.hpp>

#include "app/cli/command.h"
#include "app/cli/confinement.h"
#include "app/cli/model_options.h"
#include "app/serve/api/answer_request.h"
#include "app/serve/api/json_text.h"
#include "engine/lab/chat_form.h"

namespace ingle::cli::prompt_command {
namespace {

using json = nlohmann::ordered_json;

struct Options {
    std::string source;
    std::string request;
    bool jsonl = false;
};

/// {"request", "now", "bos_token", "eos_token"} → {"prompt", "note"} or {"error"}
json promptOf(const lab::ChatForm& form, std::string_view line) {
    const json given = serve::api::parseJson(line);
    if (!given.is_object() || !given.contains("request") || !given["request"].is_object())
        return {{"error", "not a JSON object with a 'request'"}};
    json body = given["request"];
    if (!body.contains("model")) body["model"] = "";
    const auto request = serve::api::readChatRequest(serve::api::toText(body));
    if (!request) return {{"error", request.error().message}};
    const auto text = [&given](const char* name) {
        const auto found = given.find(name);
        return found != given.end() && found->is_string() ? found->get<std::string>() : std::string();
    };
    const auto prompt = form.prompt(request->generate, {text("bos_token"), text("eos_token"), text("now")});
    if (!prompt) return {{"error", prompt.error().message}};
    return {{"prompt", prompt->text}, {"note", prompt->note}};
}

Status print(const Options& options) {
    std::string path = options.source;
    if (!path.ends_with(".jinja")) {
        INGLE_TRY_ASSIGN(path, resolveModel(options.source));
    }
    std::ifstream input(options.request, std::ios::binary);
    INGLE_TRY(confineTo({path}));
    INGLE_TRY_ASSIGN(const auto form, lab::ChatForm::open(path));
    if (!input) return fail(ErrorCode::Io, "cannot read {}", options.request);
    if (!options.jsonl) {
        const std::string whole(std::istreambuf_iterator<char>(input), {});
        fmt::print("{}\n", serve::api::toText(promptOf(form, whole)));
        return {};
    }
    for (std::string line; std::getline(input, line);)
        fmt::print("{}\n", serve::api::toText(promptOf(form, line)));
    return {};
}

Action define(CLI::App& app) {
    auto options = std::make_shared<Options>();
    app.add_option("FILE", options->source, "template (*.jinja), or model")->required();
    app.add_option("--request", options->request,
                   "JSON file: {request: a body of /v1/chat/completions, now, bos_token, eos_token}")
        ->required();
    app.add_flag("--jsonl", options->jsonl, "one JSON object per line in, one per line out");
    return [options] { return print(*options); };
}

}  // namespace

extern const Command command{"prompt", "print the prompt that ingle-serve makes of a request", define};

}  // namespace ingle::cli::prompt_command
