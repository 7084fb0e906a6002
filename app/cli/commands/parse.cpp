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
std::string toldOf(const lab::ChatForm& form, const lab::ChatForm::Reply& reply) {
    using serve::api::toText;
    serve::api::Choice choice(0, serve::api::Calls::AsWritten);
    choice.add(form.read(reply), {});
    choice.finish({});
    std::string calls;
    for (const auto& call : choice.calls()) {
        // As it is written: a parsed number may lose digits.
        const bool isWhole = serve::api::argumentsOf(call).has_value();
        calls += fmt::format(R"({}{{"id":{},"name":{},"arguments":{}}})", calls.empty() ? "" : ",",
                             toText(call.id), toText(call.name),
                             isWhole ? call.arguments : toText(call.arguments));
    }
    return fmt::format(R"({{"content":{},"reasoning_content":{},"tool_calls":[{}]}})", toText(choice.text()),
                       toText(choice.thought()), calls);
}

/// {"raw", "tools", "generation_prompt", "partial"}
std::string toldOfLine(const lab::ChatForm& form, std::string_view line, size_t cut) {
    const json given = serve::api::parseJson(line);
    if (!given.is_object() || !given.contains("raw") || !given["raw"].is_string())
        return serve::api::toText({{"error", "not a JSON object with a text 'raw'"}});
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
        fmt::print(
            "{}\n",
            toldOf(form, {.raw = raw, .promptEnd = options.promptEnd, .form = asked, .cut = options.cut}));
        return {};
    }
    for (std::string line; std::getline(std::cin, line);)
        fmt::print("{}\n", toldOfLine(form, line, options.cut));
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
