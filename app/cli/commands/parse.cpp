#include <fstream>
#include <iostream>
#include <iterator>
#include <nlohmann/json.hpp>

#include "app/cli/command.h"
#include "app/cli/confinement.h"
#include "app/cli/model_options.h"
#include "app/serve/api/choice.h"
#include "app/serve/api/json_text.h"
#include "engine/lab/chat_form.h"

namespace ingle::cli::parse_command {
namespace {

using json = nlohmann::ordered_json;

struct Options {
    std::string source;
    std::string tools;
    std::string promptEnd;
    size_t cut = 0;
    bool jsonl = false;
};

/// What ingle-serve tells a client of an answer.
json toldOf(const lab::ChatForm& form, const lab::ChatForm::Reply& reply) {
    serve::api::Choice choice(0, serve::api::Calls::AsWritten);
    choice.add(form.read(reply), {});
    choice.finish({});
    json calls = json::array();
    for (const auto& call : choice.calls()) {
        json arguments = serve::api::parseJson(call.arguments);
        if (arguments.is_discarded()) arguments = call.arguments;
        calls.push_back({{"id", call.id}, {"name", call.name}, {"arguments", std::move(arguments)}});
    }
    return {{"content", choice.text()}, {"reasoning_content", choice.thought()}, {"tool_calls", calls}};
}

/// {"raw", "tools", "generation_prompt", "partial"}
json toldOfLine(const lab::ChatForm& form, std::string_view line, size_t cut) {
    const json given = serve::api::parseJson(line);
    if (!given.is_object() || !given.contains("raw") || !given["raw"].is_string())
        return {{"error", "not a JSON object with a text 'raw'"}};
    PromptForm asked;
    if (const auto tools = given.find("tools"); tools != given.end() && tools->is_array() && !tools->empty())
        asked.tools = serve::api::toText(*tools);
    const std::string promptEnd = given.value("generation_prompt", std::string());
    return toldOf(form, {.raw = given["raw"].get_ref<const std::string&>(),
                         .promptEnd = promptEnd,
                         .form = asked,
                         .cut = cut});
}

Status print(const Options& options) {
    std::string path = options.source;
    if (!path.ends_with(".jinja")) {
        INGLE_TRY_ASSIGN(path, resolveModel(options.source));
    }
    PromptForm asked;
    if (!options.tools.empty()) {
        std::ifstream input(options.tools, std::ios::binary);
        if (!input) return fail(ErrorCode::Io, "cannot read {}", options.tools);
        asked.tools.assign(std::istreambuf_iterator<char>(input), {});
    }
    INGLE_TRY(confineTo({path}));
    INGLE_TRY_ASSIGN(const auto form, lab::ChatForm::open(path));
    if (!options.jsonl) {
        const std::string raw(std::istreambuf_iterator<char>(std::cin), {});
        const json told =
            toldOf(form, {.raw = raw, .promptEnd = options.promptEnd, .form = asked, .cut = options.cut});
        fmt::print("{}\n", serve::api::toText(told));
        return {};
    }
    for (std::string line; std::getline(std::cin, line);)
        fmt::print("{}\n", serve::api::toText(toldOfLine(form, line, options.cut)));
    return {};
}

Action define(CLI::App& app) {
    auto options = std::make_shared<Options>();
    app.add_option("FILE", options->source, "template (*.jinja), or model")->required();
    app.add_option("--tools", options->tools, "JSON file: the tools of the request");
    app.add_option("--generation-prompt", options->promptEnd,
                   "the end of the prompt, which may have begun a thought");
    app.add_option("--cut", options->cut, "give the answer in pieces of so many bytes");
    app.add_flag("--jsonl", options->jsonl,
                 "one JSON object {raw, tools, generation_prompt} per line in, one per line out");
    return [options] { return print(*options); };
}

}  // namespace

extern const Command command{"parse", "print what ingle-serve tells of the answer on standard input", define};

}  // namespace ingle::cli::parse_command
