#include "engine/lab/prompt_template.h"

#include "engine/chat/jinja/from_json.h"
#include "engine/chat/local_time.h"
#include "engine/formats/model_file.h"
#include "engine/lab/chat_form.h"

namespace ingle::lab {
namespace {

using chat::jinja::Template;
using chat::jinja::Value;
using nlohmann::ordered_json;

Result<Template> parse(const std::string& path, std::string_view source) {
    auto parsed = Template::parse(source);
    if (!parsed) return fail(parsed.error().code, "{}: {}", path, parsed.error().message);
    return parsed;
}

}  // namespace

Result<PromptTemplate> PromptTemplate::open(const std::string& path) {
    INGLE_TRY_ASSIGN(const io::Source source, io::Source::open(path));
    if (path.ends_with(".jinja")) {
        INGLE_TRY_ASSIGN(const auto file, io::MappedFile::map(source));
        const auto bytes = file->bytes();
        INGLE_TRY_ASSIGN(Template parsed,
                         parse(path, {reinterpret_cast<const char*>(bytes.data()), bytes.size()}));
        return PromptTemplate(std::move(parsed));
    }
    INGLE_TRY_ASSIGN(const formats::ModelFile file, formats::openModelFile(source));
    const formats::TokenizerData& tokenizer = file.tokenizer;
    if (tokenizer.chatTemplate.empty())
        return fail(ErrorCode::Unsupported, "{}: the file has no chat template", path);
    INGLE_TRY_ASSIGN(Template parsed, parse(path, tokenizer.chatTemplate));
    PromptTemplate result(std::move(parsed));
    if (!tokenizer.toolTemplate.empty()) {
        INGLE_TRY_ASSIGN(result.m_toolTemplate, parse(path, tokenizer.toolTemplate));
    }
    const auto textOf = [&](std::optional<TokenId> id) {
        return id ? tokenizer.tokens[static_cast<size_t>(*id)] : std::string();
    };
    result.m_bos = textOf(tokenizer.bos);
    result.m_eos = textOf(tokenizer.eos);
    return result;
}

Result<std::string> PromptTemplate::render(std::string_view json) const {
    ordered_json variables = ordered_json::parse(json, nullptr, /*allow_exceptions=*/false);
    if (!variables.is_object() || !variables.contains("messages"))
        return fail(ErrorCode::InvalidArgument, "not a JSON object with messages");
    std::tm now = chat::localTime();
    if (const auto given = variables.find("now"); given != variables.end() && given->is_string()) {
        INGLE_TRY_ASSIGN(now, parseTime(given->get<std::string>()));
    }
    const bool hasTools = variables.contains("tools") && !variables["tools"].is_null();
    const std::pair<const char*, ordered_json> defaults[] = {
        {"tools", nullptr}, {"documents", nullptr}, {"add_generation_prompt", false}};
    for (const auto& [name, value] : defaults)
        if (!variables.contains(name)) variables[name] = value;
    if (!variables.contains("bos_token")) variables["bos_token"] = m_bos;
    if (!variables.contains("eos_token")) variables["eos_token"] = m_eos;

    INGLE_TRY_ASSIGN(const Value context, chat::jinja::fromJson(variables));
    const Template& used = hasTools && m_toolTemplate ? *m_toolTemplate : m_template;
    chat::jinja::Meter meter;
    INGLE_TRY_ASSIGN(const auto segments, used.render(*context.dict(), now, meter));
    std::string text;
    for (const auto& segment : segments) text += segment.text;
    return text;
}

}  // namespace ingle::lab
