#include <fstream>
#include <iterator>
#include <nlohmann/json.hpp>

#include "app/cli/command.h"
#include "app/cli/confinement.h"
#include "app/cli/model_options.h"
#include "app/cli/terminal_text.h"
#include "engine/lab/prompt_template.h"

namespace ingle::cli::template_command {
namespace {

struct Options {
    std::string source;
    std::string messages;
    bool jsonl = false;
};

/// One object per line in, {"text"} or {"error"} per line out.
Status renderLines(const lab::PromptTemplate& prompt, std::istream& input) {
    for (std::string line; std::getline(input, line);) {
        const auto text = prompt.render(line);
        const nlohmann::json out =
            text ? nlohmann::json{{"text", *text}} : nlohmann::json{{"error", text.error().message}};
        fmt::print("{}\n", out.dump(-1, ' ', false, nlohmann::json::error_handler_t::replace));
    }
    return {};
}

Status render(const Options& options) {
    const bool isTemplate = options.source.ends_with(".jinja");
    std::string path = options.source;
    if (!isTemplate) {
        INGLE_TRY_ASSIGN(path, resolveModel(options.source));
    }
    std::ifstream input(options.messages, std::ios::binary);
    INGLE_TRY(confineTo({path}));
    INGLE_TRY_ASSIGN(const auto prompt, lab::PromptTemplate::open(path));
    if (!input) return fail(ErrorCode::Io, "cannot read {}", options.messages);
    if (options.jsonl) return renderLines(prompt, input);
    const std::string json(std::istreambuf_iterator<char>(input), {});
    const auto text = prompt.render(json);
    if (!text) return fail(text.error().code, "{}: {}", path, text.error().message);
    fmt::print("{}", forStandardOutput(*text));
    return {};
}

Action define(CLI::App& app) {
    auto options = std::make_shared<Options>();
    app.add_option("FILE", options->source, "template (*.jinja), or model whose template is used")
        ->required();
    app.add_option("--messages", options->messages, "JSON file: {messages, tools, add_generation_prompt, …}")
        ->required();
    app.add_flag("--jsonl", options->jsonl, "one JSON object per line in, one per line out");
    return [options] { return render(*options); };
}

}  // namespace

extern const Command command{"template", "print the prompt a chat template makes of messages", define};

}  // namespace ingle::cli::template_command
